import { kernelTypes } from '../../../../api/names.ts'
import { HostFailure } from '../../host-failure.ts'
import type { HostFiles, OsDeployment, OsState } from '../../host.ts'
import type { CommandRunner } from '../commands/runner.ts'
import { runOrThrow } from '../commands/runner.ts'
import { deploymentDifferences } from '../../same-deployment.ts'
import { imageName } from '../../image-name.ts'
import { readBootcStatus, type BootcImages } from './bootc-status.ts'
import type { OsDriver } from './deployment.ts'
import { verifyStaged, osStateOf } from './deployment.ts'
import { getRunningKernelArguments } from './fixed-os.ts'
import { linkRegistryAuth } from './registry-auth.ts'

/** Pulls an image from a registry, possibly over a slow network. */
const fetchLimitMs = 60 * 60_000

/** A bootc OS without rpm-ostree: only the image can be changed. */
export class Bootc implements OsDriver {
  readonly name = 'bootc'
  readonly #runner: CommandRunner
  readonly #files: HostFiles

  constructor(runner: CommandRunner, files: HostFiles) {
    this.#runner = runner
    this.#files = files
  }

  async state(): Promise<OsState> {
    const { booted, next } = await getBootcImages(this.#runner)
    if (booted === undefined || next === undefined) {
      throw new HostFailure('bootc does not report the booted image', 'EINVAL')
    }
    // An image may contain kernel arguments (kargs.d); bootc reports them only after the boot.
    const rest = {
      kernelArguments: await getRunningKernelArguments(this.#files),
      kernelType: kernelTypes.default,
      extensions: [],
    }
    return osStateOf({ image: booted, ...rest }, { image: next, ...rest })
  }

  async stage(deployment: OsDeployment): Promise<void> {
    const { booted, staged } = await this.state()
    const { image, ...rest } = deployment
    const differences = deploymentDifferences(rest, booted)
    if (differences.length > 0) {
      const how = 'with bootc they are part of the image (/usr/lib/bootc/kargs.d, packages)'
      throw new HostFailure(`cannot change ${differences.join(', ')}: ${how}`, 'ENOTSUP')
    }
    const next = (staged ?? booted).image ?? ''
    if (image === undefined || imageName(image) === imageName(next)) return
    await this.#switchTo(imageName(image))
    await verifyStaged(this, deployment)
  }

  /** `bootc switch` does nothing if the image is downloaded already; it must then be applied. */
  async #switchTo(image: string): Promise<void> {
    const { booted = '', downloaded, rollbackQueued } = await getBootcImages(this.#runner)
    if (downloaded !== undefined && imageName(downloaded) === image) {
      return this.#change(['upgrade', '--from-downloaded'])
    }
    if (downloaded === undefined && rollbackQueued && imageName(booted) === image) {
      return this.#change(['rollback'])
    }
    await linkRegistryAuth(this.#files, '/etc/ostree/auth.json')
    return this.#change(['switch', '--quiet', image])
  }

  async #change(args: readonly string[]): Promise<void> {
    await runOrThrow(this.#runner, { program: 'bootc', args, limitMs: fetchLimitMs })
  }
}

export async function getBootcImages(runner: CommandRunner): Promise<BootcImages> {
  return readBootcStatus(
    await runOrThrow(runner, {
      program: 'bootc',
      args: ['status', '--json', '--format-version=1'],
    }),
  )
}
