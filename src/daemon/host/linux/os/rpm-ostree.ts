import { kernelTypes } from '../../../../api/names.ts'
import { kernelArgumentChange } from '../../../../planner/kernel-arguments.ts'
import { HostFailure } from '../../host-failure.ts'
import type { HostFiles, OsDeployment, OsState } from '../../host.ts'
import type { Runner } from '../runner.ts'
import { succeed } from '../runner.ts'
import type { OsDriver } from './deployment.ts'
import { kernelArgumentsIn, mustHaveStaged, osState } from './deployment.ts'
import { sameDeployment } from '../../same-deployment.ts'
import { imageName } from '../../image-name.ts'
import { linkRegistryAuth } from './registry-auth.ts'
import { readRpmOstreeStatus, type RpmOstreeDeployment } from './rpm-ostree-status.ts'
import {
  defaultKernel,
  extensionsOf,
  foreignIn,
  isOtherKernel,
  kernelPackages,
  kernelTypeOf,
  packageChange,
} from './rpm-packages.ts'

/** An image is fetched from a registry, packages from their repository, over whatever line the machine has. */
const changeLimitMs = 60 * 60_000

/** CoreOS and its kin: an image with packages on top. Each change goes onto the deployment that would boot next. */
export class RpmOstree implements OsDriver {
  readonly name = 'rpm-ostree'
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

  async foreignPackages(): Promise<readonly string[]> {
    const { booted } = await this.#read()
    return [...foreignIn(booted.packages, booted.removed), ...booted.replaced]
  }

  async dropRollback(): Promise<void> {
    const { all, booted } = await this.#read()
    if (all.at(-1) !== booted) await this.#change(['cleanup', '--rollback'])
  }

  async stage(deployment: OsDeployment): Promise<void> {
    const { all, booted, next } = await this.#read()
    if (sameDeployment(deployment, await this.#described(next))) return
    const now = await this.#described(booted)
    if (all[0] !== booted) await this.#change(['cleanup', '--pending'])
    if (sameDeployment(deployment, now)) return mustHaveStaged(this, deployment)
    try {
      await this.#make(deployment, now, booted)
      await mustHaveStaged(this, deployment)
    } catch (error) {
      // Half of it must never boot. The first failure is the one to tell.
      await this.#change(['cleanup', '--pending']).catch(() => {})
      throw error
    }
  }

  async #make(wanted: OsDeployment, now: OsDeployment, booted: RpmOstreeDeployment): Promise<void> {
    const image = wanted.image === undefined ? undefined : imageName(wanted.image)
    const otherImage = image !== undefined && image !== now.image
    const otherKernel = otherImage || wanted.kernelType !== now.kernelType
    if (otherKernel && now.kernelType !== kernelTypes.default) await this.#usualKernel(booted)
    if (otherImage) await this.#rebase(image)
    const kernelArguments = kernelArgumentChange(now.kernelArguments, wanted.kernelArguments)
    if (kernelArguments) {
      const { remove, add } = kernelArguments
      await this.#change([
        'kargs',
        ...remove.map((word) => `--delete-if-present=${word}`),
        ...add.map((word) => `--append=${word}`),
      ])
    }
    if (otherKernel && wanted.kernelType !== kernelTypes.default) {
      await this.#otherKernel(wanted.kernelType)
    }
    await this.#extend(wanted.extensions)
  }

  async #rebase(image: string): Promise<void> {
    await linkRegistryAuth(this.#files, '/run/ostree/auth.json')
    // Whom to trust is for the machine's own policy for containers; ostree has no signatures on these.
    await this.#change(['rebase', '--experimental', `ostree-unverified-registry:${image}`])
  }

  #usualKernel({ removed, packages }: RpmOstreeDeployment): Promise<void> {
    const names = removed.filter((name) => (defaultKernel as readonly string[]).includes(name))
    const others = packages.filter(isOtherKernel)
    return this.#change([
      'override',
      'reset',
      ...names,
      ...others.map((name) => `--uninstall=${name}`),
    ])
  }

  async #otherKernel(kernelType: string): Promise<void> {
    const { next } = await this.#read()
    const names = await this.#present(next.baseChecksum, defaultKernel)
    const installed = kernelPackages(kernelType).map((name) => `--install=${name}`)
    await this.#change(['override', 'remove', ...names, ...installed])
  }

  async #extend(extensions: readonly string[]): Promise<void> {
    const { next } = await this.#read()
    const { add, remove } = packageChange(extensions, next.packages)
    if (add.length > 0) {
      await this.#change(['install', ...add, ...remove.map((name) => `--uninstall=${name}`)])
    } else if (remove.length > 0) {
      await this.#change(['uninstall', ...remove])
    }
  }

  /** Which of these packages an image has: to take away one that it has not would fail. */
  async #present(checksum: string, names: readonly string[]): Promise<string[]> {
    const args = ['db', 'list', checksum, ...names]
    const lines = (await succeed(this.#runner, { program: 'rpm-ostree', args })).split('\n')
    const full = lines.map((line) => line.trim())
    const present = names.filter((name) =>
      full.some((line) => line.startsWith(`${name}-`) && /^\d/.test(line.slice(name.length + 1))),
    )
    if (present.length > 0) return present
    throw new HostFailure(`the image ${checksum} has no kernel that could be replaced`, 'EINVAL')
  }

  async #described(deployment: RpmOstreeDeployment): Promise<OsDeployment> {
    const { index, image, packages } = deployment
    const args = ['kargs', `--deploy-index=${index}`]
    const line = await succeed(this.#runner, { program: 'rpm-ostree', args })
    return {
      ...(image !== undefined && { image }),
      kernelArguments: kernelArgumentsIn(line),
      kernelType: kernelTypeOf(packages),
      extensions: extensionsOf(packages),
    }
  }

  async #read(): Promise<Deployments> {
    const args = ['status', '--json']
    const all = readRpmOstreeStatus(await succeed(this.#runner, { program: 'rpm-ostree', args }))
    const booted = all.find((deployment) => deployment.booted)
    if (booted) return { all, booted, next: all.find(({ locked }) => !locked) ?? booted }
    throw new HostFailure('rpm-ostree does not know which deployment runs', 'EINVAL')
  }

  async #change(args: readonly string[]): Promise<void> {
    await succeed(this.#runner, { program: 'rpm-ostree', args, limitMs: changeLimitMs })
  }
}

interface Deployments {
  readonly all: readonly RpmOstreeDeployment[]
  readonly booted: RpmOstreeDeployment
  /** What the next boot brings: not one that waits for somebody's word. */
  readonly next: RpmOstreeDeployment
}
