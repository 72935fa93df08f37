import { kernelTypes } from '../../../../api/names.ts'
import { kernelArgumentChange } from '../../../../planner/differences/kernel-arguments.ts'
import { HostFailure } from '../../host-failure.ts'
import type { HostFiles, OsDeployment, OsState } from '../../host.ts'
import type { CommandRunner } from '../commands/runner.ts'
import { runOrThrow } from '../commands/runner.ts'
import { sameDeployment } from '../../same-deployment.ts'
import { imageName } from '../../image-name.ts'
import type { OsDriver } from './deployment.ts'
import { kernelArgumentsIn, verifyStaged, osStateOf } from './deployment.ts'
import { linkRegistryAuth } from './registry-auth.ts'
import { readRpmOstreeStatus, type RpmOstreeDeployment } from './rpm-ostree-status.ts'
import {
  defaultKernel,
  extensionsOf,
  foreignPackagesIn,
  isOtherKernel,
  kernelPackages,
  kernelTypeOf,
  packageChange,
} from './rpm-packages.ts'

/** Pulls images and packages, possibly over a slow network. */
const changeLimitMs = 60 * 60_000

/** CoreOS and similar systems: an image with layered packages. Each command changes the deployment of the next boot. */
export class RpmOstree implements OsDriver {
  readonly name = 'rpm-ostree'
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

  async foreignPackages(): Promise<readonly string[]> {
    const { booted } = await this.#read()
    return [...foreignPackagesIn(booted.packages, booted.removed), ...booted.replaced]
  }

  async dropRollback(): Promise<void> {
    const { all, booted } = await this.#read()
    if (all.at(-1) !== booted) await this.#change(['cleanup', '--rollback'])
  }

  async stage(deployment: OsDeployment): Promise<void> {
    const { all, booted, next } = await this.#read()
    if (sameDeployment(deployment, await this.#describe(next))) return
    const current = await this.#describe(booted)
    if (all[0] !== booted) await this.#change(['cleanup', '--pending'])
    if (sameDeployment(deployment, current)) return verifyStaged(this, deployment)
    try {
      await this.#changeDeployment(deployment, current, booted)
      await verifyStaged(this, deployment)
    } catch (error) {
      // A partial deployment must not boot. Report the first failure.
      await this.#change(['cleanup', '--pending']).catch(() => {})
      throw error
    }
  }

  async #changeDeployment(
    desired: OsDeployment,
    current: OsDeployment,
    booted: RpmOstreeDeployment,
  ): Promise<void> {
    const image = desired.image === undefined ? undefined : imageName(desired.image)
    const changesImage = image !== undefined && image !== current.image
    const changesKernel = changesImage || desired.kernelType !== current.kernelType
    if (changesKernel && current.kernelType !== kernelTypes.default) {
      await this.#restoreDefaultKernel(booted)
    }
    if (changesImage) await this.#rebase(image)
    const kernelArguments = kernelArgumentChange(current.kernelArguments, desired.kernelArguments)
    if (kernelArguments) {
      const { remove, add } = kernelArguments
      await this.#change([
        'kargs',
        ...remove.map((word) => `--delete-if-present=${word}`),
        ...add.map((word) => `--append=${word}`),
      ])
    }
    if (changesKernel && desired.kernelType !== kernelTypes.default) {
      await this.#installKernel(desired.kernelType)
    }
    await this.#setExtensions(desired.extensions)
  }

  async #rebase(image: string): Promise<void> {
    await linkRegistryAuth(this.#files, '/run/ostree/auth.json')
    // The container policy of the machine verifies signatures; ostree has none for these images.
    await this.#change(['rebase', '--experimental', `ostree-unverified-registry:${image}`])
  }

  #restoreDefaultKernel({ removed, packages }: RpmOstreeDeployment): Promise<void> {
    const names = removed.filter((name) => (defaultKernel as readonly string[]).includes(name))
    const others = packages.filter(isOtherKernel)
    return this.#change([
      'override',
      'reset',
      ...names,
      ...others.map((name) => `--uninstall=${name}`),
    ])
  }

  async #installKernel(kernelType: string): Promise<void> {
    const { next } = await this.#read()
    const names = await this.#packagesInImage(next.baseChecksum, defaultKernel)
    const installed = kernelPackages(kernelType).map((name) => `--install=${name}`)
    await this.#change(['override', 'remove', ...names, ...installed])
  }

  async #setExtensions(extensions: readonly string[]): Promise<void> {
    const { next } = await this.#read()
    const { add, remove } = packageChange(extensions, next.packages)
    if (add.length > 0) {
      await this.#change(['install', ...add, ...remove.map((name) => `--uninstall=${name}`)])
    } else if (remove.length > 0) {
      await this.#change(['uninstall', ...remove])
    }
  }

  /** The subset of packages that an image contains: to remove another one fails. */
  async #packagesInImage(checksum: string, names: readonly string[]): Promise<string[]> {
    const args = ['db', 'list', checksum, ...names]
    const lines = (await runOrThrow(this.#runner, { program: 'rpm-ostree', args })).split('\n')
    const full = lines.map((line) => line.trim())
    const present = names.filter((name) =>
      full.some((line) => line.startsWith(`${name}-`) && /^\d/.test(line.slice(name.length + 1))),
    )
    if (present.length > 0) return present
    throw new HostFailure(`image ${checksum} contains no default kernel to replace`, 'EINVAL')
  }

  async #describe(deployment: RpmOstreeDeployment): Promise<OsDeployment> {
    const { index, image, packages } = deployment
    const args = ['kargs', `--deploy-index=${index}`]
    const line = await runOrThrow(this.#runner, { program: 'rpm-ostree', args })
    return {
      ...(image !== undefined && { image }),
      kernelArguments: kernelArgumentsIn(line),
      kernelType: kernelTypeOf(packages),
      extensions: extensionsOf(packages),
    }
  }

  async #read(): Promise<Deployments> {
    const args = ['status', '--json']
    const all = readRpmOstreeStatus(await runOrThrow(this.#runner, { program: 'rpm-ostree', args }))
    const booted = all.find((deployment) => deployment.booted)
    if (booted) return { all, booted, next: all.find(({ locked }) => !locked) ?? booted }
    throw new HostFailure('rpm-ostree does not report the booted deployment', 'EINVAL')
  }

  async #change(args: readonly string[]): Promise<void> {
    await runOrThrow(this.#runner, { program: 'rpm-ostree', args, limitMs: changeLimitMs })
  }
}

interface Deployments {
  readonly all: readonly RpmOstreeDeployment[]
  readonly booted: RpmOstreeDeployment
  /** The deployment of the next boot, which is never a locked one. */
  readonly next: RpmOstreeDeployment
}
