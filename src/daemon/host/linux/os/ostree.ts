import { kernelTypes } from '../../../../api/names.ts'
import { HostFailure } from '../../host-failure.ts'
import type { HostFiles, OsDeployment, OsState } from '../../host.ts'
import type { CommandRunner } from '../commands/runner.ts'
import { runOrThrow } from '../commands/runner.ts'
import { sameDeployment, deploymentDifferences } from '../../same-deployment.ts'
import { getBootEntries } from './boot-entries.ts'
import type { OsDriver } from './deployment.ts'
import { verifyStaged, osStateOf } from './deployment.ts'
import { getRunningKernelArguments } from './fixed-os.ts'
import { readDictionary, readTexts } from './gvariant.ts'
import { readOstreeStatus, type OstreeDeployment } from './ostree-status.ts'

/** Pulls a tree, possibly over a slow network, and checks it out, possibly to a slow disk. */
const changeLimitMs = 60 * 60_000
const stagedFile = '/run/ostree/staged-deployment'

/** A plain ostree OS, such as Debian built with ostree: images are branches of a repository. */
export class Ostree implements OsDriver {
  readonly name = 'ostree'
  readonly #runner: CommandRunner
  readonly #files: HostFiles

  constructor(runner: CommandRunner, files: HostFiles) {
    this.#runner = runner
    this.#files = files
  }

  async state(): Promise<OsState> {
    const { booted, next } = await this.#read()
    return osStateOf(await this.#describe(booted), await this.#describe(next))
  }

  async stage(deployment: OsDeployment): Promise<void> {
    const { booted, next } = await this.#read()
    if (sameDeployment(deployment, await this.#describe(next))) return
    const current = await this.#describe(booted)
    requireImageOnly(deployment)
    if (sameDeployment(deployment, current)) {
      await this.#admin(['undeploy', '0'])
    } else {
      await this.#deploy(
        booted.osName,
        deployment.image ?? current.image,
        deployment.kernelArguments,
      )
    }
    await verifyStaged(this, deployment).catch(async (error: unknown) => {
      // A wrong deployment must not boot. Report the first failure.
      await this.#admin(['undeploy', '0']).catch(() => {})
      throw error
    })
  }

  /** Replaces an earlier staged deployment. */
  async #deploy(
    osName: string,
    image: string | undefined,
    words: readonly string[],
  ): Promise<void> {
    const [refspec, remote, branch] = refspecPattern.exec(image ?? '') ?? []
    if (refspec === undefined || branch === undefined) {
      throw new HostFailure(`${JSON.stringify(image)} is not an ostree refspec`, 'EINVAL')
    }
    if (remote !== undefined) await this.#fetch(remote, branch)
    const kernelArguments = words.map((word) => `--karg-append=${word}`)
    const how = ['--stage', `--os=${osName}`, '--karg-none', ...kernelArguments]
    await this.#admin(['deploy', ...how, refspec])
  }

  /** A refspec without a remote is in the local repository already. */
  async #fetch(remote: string, branch: string): Promise<void> {
    const args = ['pull', remote, branch]
    await runOrThrow(this.#runner, { program: 'ostree', args, limitMs: changeLimitMs })
  }

  async #describe({ name, staged, refspec }: OstreeDeployment): Promise<OsDeployment> {
    const kernelArguments = staged ? await this.#stagedArguments() : await this.#argumentsOf(name)
    return {
      ...(refspec !== undefined && { image: refspec }),
      kernelArguments,
      kernelType: kernelTypes.default,
      extensions: [],
    }
  }

  async #argumentsOf(name: string): Promise<string[]> {
    const entries = await getBootEntries(this.#files)
    return entries.get(name) ?? getRunningKernelArguments(this.#files)
  }

  /** A staged deployment gets its boot loader entry only during shutdown. */
  async #stagedArguments(): Promise<string[]> {
    const { type, value } = readDictionary(await this.#files.read(stagedFile)).get('kargs') ?? {}
    if (value && type === 'as')
      return readTexts(value).filter((word) => !word.startsWith('ostree='))
    return getRunningKernelArguments(this.#files)
  }

  async #read(): Promise<{ booted: OstreeDeployment; next: OstreeDeployment }> {
    const all = readOstreeStatus(await this.#admin(['status']))
    const booted = all.find((deployment) => deployment.booted)
    if (booted) return { booted, next: all[0]! }
    throw new HostFailure('ostree does not report the booted deployment', 'EINVAL')
  }

  #admin(args: readonly string[]): Promise<string> {
    const command = { program: 'ostree', args: ['admin', ...args], limitMs: changeLimitMs }
    return runOrThrow(this.#runner, command)
  }
}

/** Excludes options: ostree has no `--` to end them. */
const refspecPattern = /^(?:(\w[\w.-]*):)?(\w[\w./+~-]*)$/

function requireImageOnly({ kernelType, extensions }: OsDeployment): void {
  const plain = { kernelArguments: [], kernelType: kernelTypes.default, extensions: [] }
  const differences = deploymentDifferences({ ...plain, kernelType, extensions }, plain)
  if (differences.length === 0) return
  const how = 'with plain ostree they are part of the image'
  throw new HostFailure(`cannot change ${differences.join(', ')}: ${how}`, 'ENOTSUP')
}
