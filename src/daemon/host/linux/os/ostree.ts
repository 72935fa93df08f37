import { kernelTypes } from '../../../../api/names.ts'
import { HostFailure } from '../../host-failure.ts'
import type { HostFiles, OsDeployment, OsState } from '../../host.ts'
import type { Runner } from '../runner.ts'
import { succeed } from '../runner.ts'
import { bootEntries } from './boot-entries.ts'
import type { OsDriver } from './deployment.ts'
import { mustHaveStaged, osState } from './deployment.ts'
import { sameDeployment, unlike } from '../../same-deployment.ts'
import { runningKernelArguments } from './fixed-os.ts'
import { readDictionary, readTexts } from './gvariant.ts'
import { readOstreeStatus, type OstreeDeployment } from './ostree-status.ts'

/** A tree is fetched over whatever line the machine has, and checked out onto whatever disk. */
const changeLimitMs = 60 * 60_000
const stagedFile = '/run/ostree/staged-deployment'

/** An OS of plain ostree, such as Debian can be: images are branches of a repository. */
export class Ostree implements OsDriver {
  readonly name = 'ostree'
  readonly #runner: Runner
  readonly #files: HostFiles

  constructor(runner: Runner, files: HostFiles) {
    this.#runner = runner
    this.#files = files
  }

  async state(): Promise<OsState> {
    const { booted, next } = await this.#read()
    return osState(await this.#described(booted), await this.#described(next))
  }

  async stage(deployment: OsDeployment): Promise<void> {
    const { booted, next } = await this.#read()
    if (sameDeployment(deployment, await this.#described(next))) return
    const now = await this.#described(booted)
    mustBeOnlyAnImage(deployment)
    if (sameDeployment(deployment, now)) {
      await this.#admin(['undeploy', '0'])
    } else {
      await this.#deploy(booted.osName, deployment.image ?? now.image, deployment.kernelArguments)
    }
    await mustHaveStaged(this, deployment).catch(async (error: unknown) => {
      // What nobody asked for must not boot. The first failure is the one to tell.
      await this.#admin(['undeploy', '0']).catch(() => {})
      throw error
    })
  }

  /** Replaces what was staged before. */
  async #deploy(
    osName: string,
    image: string | undefined,
    words: readonly string[],
  ): Promise<void> {
    const [refspec, remote, branch] = refspecOf.exec(image ?? '') ?? []
    if (refspec === undefined || branch === undefined) {
      throw new HostFailure(`${JSON.stringify(image)} is not a branch of ostree`, 'EINVAL')
    }
    if (remote !== undefined) await this.#fetch(remote, branch)
    const kernelArguments = words.map((word) => `--karg-append=${word}`)
    const how = ['--stage', `--os=${osName}`, '--karg-none', ...kernelArguments]
    await this.#admin(['deploy', ...how, refspec])
  }

  /** What is not from a remote is in the machine's own repository already. */
  async #fetch(remote: string, branch: string): Promise<void> {
    const args = ['pull', remote, branch]
    await succeed(this.#runner, { program: 'ostree', args, limitMs: changeLimitMs })
  }

  async #described({ name, staged, refspec }: OstreeDeployment): Promise<OsDeployment> {
    const kernelArguments = staged ? await this.#stagedArguments() : await this.#argumentsOf(name)
    return {
      ...(refspec !== undefined && { image: refspec }),
      kernelArguments,
      kernelType: kernelTypes.default,
      extensions: [],
    }
  }

  async #argumentsOf(name: string): Promise<string[]> {
    const entries = await bootEntries(this.#files)
    return entries.get(name) ?? runningKernelArguments(this.#files)
  }

  /** It has no entry of the boot loader before the machine goes down. */
  async #stagedArguments(): Promise<string[]> {
    const { type, value } = readDictionary(await this.#files.read(stagedFile)).get('kargs') ?? {}
    if (value && type === 'as')
      return readTexts(value).filter((word) => !word.startsWith('ostree='))
    return runningKernelArguments(this.#files)
  }

  async #read(): Promise<{ booted: OstreeDeployment; next: OstreeDeployment }> {
    const all = readOstreeStatus(await this.#admin(['status']))
    const booted = all.find((deployment) => deployment.booted)
    if (booted) return { booted, next: all[0]! }
    throw new HostFailure('ostree does not know which deployment runs', 'EINVAL')
  }

  #admin(args: readonly string[]): Promise<string> {
    const command = { program: 'ostree', args: ['admin', ...args], limitMs: changeLimitMs }
    return succeed(this.#runner, command)
  }
}

/** Never one that ostree could take for an option: it has no way to say where these end. */
const refspecOf = /^(?:(\w[\w.-]*):)?(\w[\w./+~-]*)$/

function mustBeOnlyAnImage({ kernelType, extensions }: OsDeployment): void {
  const plain = { kernelArguments: [], kernelType: kernelTypes.default, extensions: [] }
  const differences = unlike({ ...plain, kernelType, extensions }, plain)
  if (differences.length === 0) return
  const how = 'with plain ostree they come with the image'
  throw new HostFailure(`${differences.join(', ')} cannot be changed here: ${how}`, 'ENOTSUP')
}
