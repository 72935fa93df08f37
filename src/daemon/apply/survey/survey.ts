import { sha256Hex } from '@machinist/core/encoding/digest'
import { nodePaths } from '../../../api/node-paths.ts'
import type { PlanStep } from '../../../planner/model/update-plan.ts'
import type { Host } from '../../host/host.ts'
import { sameDeployment } from '../../host/same-deployment.ts'
import { ConfigContents } from '../journal/config-contents.ts'
import { resolveFileOwner } from '../../verify/file-owner.ts'
import type { ConfigSource, Intent, PasswordChange } from '../intent.ts'
import type { ChangeOsStep } from '../machine/os-change.ts'
import { applyOsStep } from '../machine/os-change.ts'
import { absentState } from '../machine/path-state.ts'
import type { Update } from '../update.ts'
import { PathSurvey } from './path-survey.ts'
import { refuseUnusablePlan } from './refusals.ts'
import { stateFileState } from './state-files.ts'
import { UnitSurvey } from './unit-survey.ts'

/** Computes, path by path, what the steps of the plan will change on this machine. Changes nothing. */
export async function survey(host: Host, update: Update): Promise<Intent> {
  refuseUnusablePlan(update)
  const surveyor = new Surveyor(host, update)
  for (const step of update.plan.steps) await surveyor.addStep(step)
  return surveyor.finish()
}

type UserStep = Extract<PlanStep, { readonly user: string }>

class Surveyor {
  readonly #host: Host
  readonly #update: Update
  readonly #desired: ConfigContents
  readonly #paths: PathSurvey
  readonly #units: UnitSurvey
  readonly #passwords: PasswordChange[] = []
  #os: Intent['os']

  constructor(host: Host, update: Update) {
    this.#host = host
    this.#update = update
    this.#desired = new ConfigContents(update.desired)
    const current = new ConfigContents(update.current)
    this.#paths = new PathSurvey(host.files, current)
    this.#units = new UnitSurvey(host.files, this.#paths, current, this.#desired)
  }

  async addStep(step: PlanStep): Promise<void> {
    if ('unit' in step) return this.#units.addStep(step)
    if ('user' in step) return this.#addUserStep(step)
    switch (step.do) {
      case 'write-file':
        return this.#writeFile(step.path)
      case 'remove-file':
        return this.#paths.restoreOriginal(step.path)
      case 'set-units':
        return this.#units.setUnits(step)
      case 'change-os':
        return this.#changeOs(step)
      case 'store-config':
        return this.#store()
      case 'drain':
      case 'daemon-reload':
      case 'reload':
      case 'restart':
      case 'reboot':
    }
  }

  #addUserStep(step: UserStep): Promise<void> {
    switch (step.do) {
      case 'write-ssh-keys':
        return this.#writeKeys(step.user, step.path)
      case 'remove-ssh-keys':
        return this.#removeKeys(step.user, step.path)
      case 'set-password':
        return this.#setPassword(step.user)
    }
  }

  async finish(): Promise<Intent> {
    const { enablement } = this.#units
    return {
      format: 1,
      update: this.#update,
      bootId: await this.#host.power.bootId(),
      ...(await this.#paths.finish()),
      ...(enablement && { enablement }),
      passwords: this.#passwords,
      ...(this.#os && { os: this.#os }),
    }
  }

  async #writeFile(path: string): Promise<void> {
    const file = this.#desired.file(path)
    const owner = await resolveFileOwner(this.#host.accounts, file)
    const content: ConfigSource = { from: 'file', path }
    const digest = sha256Hex(this.#desired.content(content))
    const mode = file.mode ?? 0o644
    await this.#paths.put(path, { type: 'file', mode, ...owner, digest }, content)
  }

  /** sshd accepts keys only if no other user can write the file and its directories. */
  async #writeKeys(user: string, path: string): Promise<void> {
    const account = await this.#host.accounts.user(user)
    // MCO also ignores keys without an account.
    if (!account) return
    const { uid, gid, home } = account
    const content: ConfigSource = { from: 'keys' }
    const digest = sha256Hex(this.#desired.content(content))
    const owner = { mode: 0o700, uid, gid }
    await this.#paths.addKeysFile(`${home}/.ssh/${path}`, owner, home)
    await this.#paths.replace(
      `${home}/.ssh/${path}`,
      { type: 'file', mode: 0o600, uid, gid, digest },
      content,
    )
  }

  async #removeKeys(user: string, path: string): Promise<void> {
    const account = await this.#host.accounts.user(user)
    if (account) await this.#paths.remove(`${account.home}/.ssh/${path}`, { from: 'keys' })
  }

  async #setPassword(user: string): Promise<void> {
    const before = await this.#host.accounts.passwordHash(user)
    if (before === undefined) return
    const after = this.#desired.passwordHash(user) || '*'
    if (after !== before) this.#passwords.push({ user, before, after })
  }

  async #changeOs(step: ChangeOsStep): Promise<void> {
    const { booted, staged } = await this.#host.os.state()
    const before = staged ?? booted
    const after = applyOsStep(before, step)
    if (!sameDeployment(before, after)) this.#os = { before, after }
  }

  async #store(): Promise<void> {
    const config = this.#desired.content({ from: 'config' })
    await this.#paths.store(nodePaths.currentConfig, stateFileState(config), { from: 'config' })
    const { desiredImage: text } = this.#update
    if (text === undefined) await this.#paths.store(nodePaths.currentImage, absentState)
    else {
      const image = stateFileState(Buffer.from(text))
      await this.#paths.store(nodePaths.currentImage, image, { from: 'text', text })
    }
    await this.#restrictKubeconfig()
  }

  /** First boot leaves the bootstrap kubeconfig readable by all users. A config that contains it sets its mode. */
  async #restrictKubeconfig(): Promise<void> {
    if (!this.#desired.paths().has(kubeconfig)) await this.#paths.restrictToOwner(kubeconfig)
  }
}

const kubeconfig = '/etc/kubernetes/kubeconfig'
