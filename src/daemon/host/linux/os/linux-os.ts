import { osCapabilities } from '../../../../planner/os-capabilities.ts'
import { HostFailure } from '../../host-failure.ts'
import type { BootReport, HostFiles, HostOs, OsDeployment, OsFacts, OsState } from '../../host.ts'
import type { Runner } from '../runner.ts'
import { Bootc, bootcImages } from './bootc.ts'
import type { OsDriver } from './deployment.ts'
import { finalizationFailure } from './finalization-failure.ts'
import { FixedOs } from './fixed-os.ts'
import { Ostree } from './ostree.ts'
import { readOsRelease } from './os-release.ts'
import { RpmOstree } from './rpm-ostree.ts'

/** The operating system, changed by whatever the machine has for it. */
export class LinuxOs implements HostOs {
  readonly #files: HostFiles
  readonly #runner: Runner
  #driver: Promise<OsDriver> | undefined

  constructor(files: HostFiles, runner: Runner) {
    this.#files = files
    this.#runner = runner
  }

  async facts(): Promise<OsFacts> {
    const fips = (await this.#text('/proc/sys/crypto/fips_enabled'))?.trim()
    return {
      ...readOsRelease(await this.#osRelease()),
      architecture: architectures[process.arch] ?? process.arch,
      changes: osCapabilities[(await this.#chosen()).name],
      ...(fips !== undefined && { fips: fips === '1' }),
    }
  }

  async state(): Promise<OsState> {
    return (await this.#chosen()).state()
  }

  async stage(deployment: OsDeployment): Promise<void> {
    await (await this.#chosen()).stage(deployment)
  }

  async bootReport(): Promise<BootReport> {
    const driver = await this.#chosen()
    const failure = (await this.#ofOstree()) ? await finalizationFailure(this.#runner) : undefined
    return {
      ...(failure !== undefined && { finalizationFailure: failure }),
      foreignPackages: (await driver.foreignPackages?.()) ?? [],
    }
  }

  async dropRollback(): Promise<void> {
    await (await this.#chosen()).dropRollback?.()
  }

  /** A machine does not change its kind while it runs; but one that could not be asked is asked again. */
  #chosen(): Promise<OsDriver> {
    this.#driver ??= this.#choose().catch((error: unknown) => {
      this.#driver = undefined
      throw error
    })
    return this.#driver
  }

  /** The one that can do most comes first: a machine often has several. */
  async #choose(): Promise<OsDriver> {
    const ofOstree = await this.#ofOstree()
    if (ofOstree && (await this.#has('rpm-ostree'))) {
      return new RpmOstree(this.#runner, this.#files)
    }
    if ((await this.#has('bootc')) && (await this.#ofBootc())) {
      return new Bootc(this.#runner, this.#files)
    }
    if (ofOstree && (await this.#has('ostree'))) return new Ostree(this.#runner, this.#files)
    return new FixedOs(this.#files)
  }

  async #ofOstree(): Promise<boolean> {
    return (await this.#files.look('/run/ostree-booted')) !== undefined
  }

  async #ofBootc(): Promise<boolean> {
    return (await bootcImages(this.#runner)).booted !== undefined
  }

  async #has(program: string): Promise<boolean> {
    const places = ['/usr/bin', '/usr/sbin', '/usr/local/bin', '/usr/local/sbin']
    for (const place of places) {
      if (await this.#files.look(`${place}/${program}`)) return true
    }
    return false
  }

  /** Mostly a link to the second. */
  async #osRelease(): Promise<string> {
    const text = (await this.#text('/etc/os-release')) ?? (await this.#text('/usr/lib/os-release'))
    if (text !== undefined) return text
    throw new HostFailure(
      'neither /etc/os-release nor /usr/lib/os-release says what runs',
      'ENOENT',
    )
  }

  async #text(path: string): Promise<string | undefined> {
    if ((await this.#files.look(path))?.type !== 'file') return undefined
    return Buffer.from(await this.#files.read(path)).toString()
  }
}

/** As the kernel calls them. */
const architectures: Readonly<Record<string, string>> = {
  x64: 'x86_64',
  arm64: 'aarch64',
  ppc64: 'ppc64le',
}
