import { dropinPath, unitPath } from '../../api/node-paths.ts'
import { sha256Hex } from '@machinist/core/digest'
import type { Step } from '../../planner/update-plan.ts'
import type { HostFiles } from '../host/host.ts'
import type { ConfigContents } from './config-contents.ts'
import { enablementOf, linksOf } from './enablement.ts'
import type { ConfigSource, Enablement } from './intent.ts'
import type { PathSurvey } from './path-survey.ts'

type UnitStep = Extract<Step, { readonly unit: string }>

/** Works out which paths change with units, drop-ins and the links that start them. */
export class UnitSurvey {
  readonly #files: HostFiles
  readonly #paths: PathSurvey
  readonly #current: ConfigContents
  readonly #desired: ConfigContents
  #found: Enablement | undefined
  #enablement: Enablement | undefined

  constructor(
    files: HostFiles,
    paths: PathSurvey,
    current: ConfigContents,
    desired: ConfigContents,
  ) {
    this.#files = files
    this.#paths = paths
    this.#current = current
    this.#desired = desired
  }

  /** The links as they are, if systemctl will change them. */
  get enablement(): Enablement | undefined {
    return this.#enablement
  }

  take(step: UnitStep): Promise<void> {
    const { unit } = step
    switch (step.do) {
      case 'write-unit':
        return this.#writeUnit(unit)
      case 'mask-unit':
        return this.#mask(unit)
      case 'unmask-unit':
        return this.#unmask(unit)
      case 'remove-unit':
        return this.#paths.giveBack(unitPath(unit))
      case 'write-dropin': {
        const { dropin } = step
        return this.#write(dropinPath(unit, dropin), { from: 'dropin', unit, dropin })
      }
      case 'remove-dropin':
        return this.#paths.giveBack(dropinPath(unit, step.dropin))
    }
  }

  /** systemctl removes the links of disabled units itself; here it counts which directories are empty then. */
  async set({ disable }: Extract<Step, { do: 'set-units' }>): Promise<void> {
    this.#enablement = await this.#links()
    for (const unit of disable) await this.#unlink(unit)
  }

  /** One that is not ours may want to be started elsewhere; the plan says when this one is. */
  async #writeUnit(unit: string): Promise<void> {
    const path = unitPath(unit)
    if (!this.#current.paths().has(path)) await this.#unlink(unit)
    await this.#write(path, { from: 'unit', unit })
  }

  /** systemctl does not see the links of what is masked: nobody else would take them away, nor know that they are there. */
  async #mask(unit: string): Promise<void> {
    await this.#unlink(unit)
    await this.#paths.put(unitPath(unit), { type: 'link', target: '/dev/null' })
  }

  /** A mask that somebody else put there goes as well; a file of theirs does not. */
  async #unmask(unit: string): Promise<void> {
    const path = unitPath(unit)
    const entry = await this.#files.look(path)
    const masked = entry?.type === 'symlink' && entry.target === '/dev/null'
    if (masked || this.#current.paths().has(path)) await this.#paths.giveBack(path)
  }

  async #unlink(unit: string): Promise<void> {
    for (const link of linksOf(unit, await this.#links())) await this.#paths.remove(link)
  }

  async #links(): Promise<Enablement> {
    this.#found ??= await enablementOf(this.#files)
    return this.#found
  }

  async #write(path: string, content: ConfigSource): Promise<void> {
    const digest = sha256Hex(this.#desired.content(content))
    await this.#paths.put(path, { type: 'file', mode: 0o644, uid: 0, gid: 0, digest }, content)
  }
}
