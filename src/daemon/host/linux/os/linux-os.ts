import { osCapabilities } from '../../../../planner/model/os-capabilities.ts'
import { HostFailure } from '../../host-failure.ts'
import type { BootReport, HostFiles, HostOs, OsDeployment, OsFacts, OsState } from '../../host.ts'
import type { CommandRunner } from '../commands/runner.ts'
import { Bootc, getBootcImages } from './bootc.ts'
import type { OsDriver } from './deployment.ts'
import { findFinalizationFailure } from './finalization-failure.ts'
import { FixedOs } from './fixed-os.ts'
import { Ostree } from './ostree.ts'
import { readOsIdentity } from './os-identity.ts'
import { RpmOstree } from './rpm-ostree.ts'

/** The operating system, changed by the tool that the machine has. */
export class LinuxOs implements HostOs {
  readonly #files: HostFiles
  readonly #runner: CommandRunner
  #driver: Promise<OsDriver> | undefined

  constructor(files: HostFiles, runner: CommandRunner) {
    this.#files = files
    this.#runner = runner
  }

  async facts(): Promise<OsFacts> {
    const fips = (await this.#text('/proc/sys/crypto/fips_enabled'))?.trim()
    return {
      ...readOsIdentity(await this.#osRelease()),
      architecture: architectures[process.arch] ?? process.arch,
      changes: osCapabilities[(await this.#detectedDriver()).name],
      ...(fips !== undefined && { fips: fips === '1' }),
    }
  }

  async state(): Promise<OsState> {
    return (await this.#detectedDriver()).state()
  }

  async stage(deployment: OsDeployment): Promise<void> {
    await (await this.#detectedDriver()).stage(deployment)
  }

  async bootReport(): Promise<BootReport> {
    const driver = await this.#detectedDriver()
    const failure = (await this.#isOstreeBooted())
      ? await findFinalizationFailure(this.#runner)
      : undefined
    return {
      ...(failure !== undefined && { finalizationFailure: failure }),
      foreignPackages: (await driver.foreignPackages?.()) ?? [],
    }
  }

  async dropRollback(): Promise<void> {
    await (await this.#detectedDriver()).dropRollback?.()
  }

  /** Cached, because the tool does not change while the machine runs. A failed detection is retried. */
  #detectedDriver(): Promise<OsDriver> {
    this.#driver ??= this.#detectDriver().catch((error: unknown) => {
      this.#driver = undefined
      throw error
    })
    return this.#driver
  }

  /** The most capable tool comes first: a machine often has several. */
  async #detectDriver(): Promise<OsDriver> {
    const isOstree = await this.#isOstreeBooted()
    if (isOstree && (await this.#has('rpm-ostree'))) {
      return new RpmOstree(this.#runner, this.#files)
    }
    if ((await this.#has('bootc')) && (await this.#isBootcBooted())) {
      return new Bootc(this.#runner, this.#files)
    }
    if (isOstree && (await this.#has('ostree'))) return new Ostree(this.#runner, this.#files)
    return new FixedOs(this.#files)
  }

  async #isOstreeBooted(): Promise<boolean> {
    return (await this.#files.stat('/run/ostree-booted')) !== undefined
  }

  async #isBootcBooted(): Promise<boolean> {
    return (await getBootcImages(this.#runner)).booted !== undefined
  }

  async #has(program: string): Promise<boolean> {
    const directories = ['/usr/bin', '/usr/sbin', '/usr/local/bin', '/usr/local/sbin']
    for (const directory of directories) {
      if (await this.#files.stat(`${directory}/${program}`)) return true
    }
    return false
  }

  /** /etc/os-release is usually a link to /usr/lib/os-release. */
  async #osRelease(): Promise<string> {
    const text = (await this.#text('/etc/os-release')) ?? (await this.#text('/usr/lib/os-release'))
    if (text !== undefined) return text
    throw new HostFailure('neither /etc/os-release nor /usr/lib/os-release exists', 'ENOENT')
  }

  async #text(path: string): Promise<string | undefined> {
    if ((await this.#files.stat(path))?.type !== 'file') return undefined
    return Buffer.from(await this.#files.read(path)).toString()
  }
}

/** Architecture names of the kernel. */
const architectures: Readonly<Record<string, string>> = {
  x64: 'x86_64',
  arm64: 'aarch64',
  ppc64: 'ppc64le',
}
