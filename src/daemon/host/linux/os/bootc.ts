import { kernelTypes } from '../../../../api/names.ts'
import { HostFailure } from '../../host-failure.ts'
import type { HostFiles, OsDeployment, OsState } from '../../host.ts'
import type { Runner } from '../runner.ts'
import { succeed } from '../runner.ts'
import { readBootcStatus, type BootcImages } from './bootc-status.ts'
import type { OsDriver } from './deployment.ts'
import { mustHaveStaged, osState } from './deployment.ts'
import { unlike } from '../../same-deployment.ts'
import { runningKernelArguments } from './fixed-os.ts'
import { imageName } from '../../image-name.ts'
import { linkRegistryAuth } from './registry-auth.ts'

/** An image is fetched from a registry, over whatever line the machine has. */
const fetchLimitMs = 60 * 60_000

/** An OS of bootable containers, where there is no rpm-ostree beside it: all that can be changed is the image. */
export class Bootc implements OsDriver {
  readonly name = 'bootc'
  readonly #runner: Runner
  readonly #files: HostFiles

  constructor(runner: Runner, files: HostFiles) {
    this.#runner = runner
    this.#files = files
  }

  async state(): Promise<OsState> {
    const { booted, next } = await bootcImages(this.#runner)
    if (booted === undefined || next === undefined) {
      throw new HostFailure('bootc does not know which image this machine runs', 'EINVAL')
    }
    // An image may bring arguments of its own (kargs.d); bootc tells them only once they are booted.
    const rest = {
      kernelArguments: await runningKernelArguments(this.#files),
      kernelType: kernelTypes.default,
      extensions: [],
    }
    return osState({ image: booted, ...rest }, { image: next, ...rest })
  }

  async stage(deployment: OsDeployment): Promise<void> {
    const { booted, staged } = await this.state()
    const { image, ...rest } = deployment
    const differences = unlike(rest, booted)
    if (differences.length > 0) {
      const how = 'with bootc these come with the image (/usr/lib/bootc/kargs.d, packages built in)'
      throw new HostFailure(`${differences.join(', ')} cannot be changed here: ${how}`, 'ENOTSUP')
    }
    const next = (staged ?? booted).image ?? ''
    if (image === undefined || imageName(image) === imageName(next)) return
    await this.#become(imageName(image))
    await mustHaveStaged(this, deployment)
  }

  /** A switch to what bootc holds for the wanted image already does nothing: then it only needs to be told to go ahead. */
  async #become(image: string): Promise<void> {
    const { booted = '', downloaded, rollbackQueued } = await bootcImages(this.#runner)
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
    await succeed(this.#runner, { program: 'bootc', args, limitMs: fetchLimitMs })
  }
}

/** Nothing at all where there is no bootc. */
export async function bootcImages(runner: Runner): Promise<BootcImages> {
  return readBootcStatus(
    await succeed(runner, { program: 'bootc', args: ['status', '--json', '--format-version=1'] }),
  )
}
