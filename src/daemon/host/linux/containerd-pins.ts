import { HostFailure } from '../host-failure.ts'
import type { Command, CommandRunner } from './commands/runner.ts'
import { runOrThrow } from './commands/runner.ts'

/** The label that makes containerd pin an image, and the label that marks the pins of Machinist. */
const pinnedLabel = 'io.cri-containerd.pinned'
const ownLabel = 'machinist.dev/pinned'

/**
 * Images that containerd pins by label, without a restart or reload. The labels are on the name that containerd derives from
 * the id of the image: a name that is pulled again loses its labels, and a pin on any name protects the image.
 */
export class ContainerdPins {
  readonly #runner: CommandRunner
  readonly #ids: (images: readonly string[]) => Promise<ReadonlyMap<string, string>>

  /** `ids` returns the ids of the images that are on the machine. */
  constructor(
    runner: CommandRunner,
    ids: (images: readonly string[]) => Promise<ReadonlyMap<string, string>>,
  ) {
    this.#runner = runner
    this.#ids = ids
  }

  async hasPins(images: readonly string[]): Promise<boolean> {
    const ids = await this.#ids(images)
    const desired = new Set(ids.values())
    const pinned = await this.#pinnedNames()
    return ids.size === images.length && desired.symmetricDifference(pinned).size === 0
  }

  async setPins(images: readonly string[]): Promise<void> {
    const ids = await this.#ids(images)
    const desired = new Set(ids.values())
    const pinned = await this.#pinnedNames()
    for (const name of desired.difference(pinned)) {
      await this.#label(name, [`${pinnedLabel}=pinned`, `${ownLabel}=true`])
    }
    // An empty value removes a label.
    for (const name of pinned.difference(desired)) {
      await this.#label(name, [`${pinnedLabel}=`, `${ownLabel}=`])
    }
    const missing = images.find((image) => !ids.has(image))
    if (missing !== undefined) {
      throw new HostFailure(`cannot pin ${missing}: the image is not on the machine`, 'ENOENT')
    }
  }

  async #pinnedNames(): Promise<Set<string>> {
    const filter = `labels."${pinnedLabel}"==pinned,labels."${ownLabel}"==true`
    const output = await runOrThrow(this.#runner, ctr(['ls', '--quiet', filter]))
    return new Set(output.split('\n').filter((line) => /^(?!-).*sha256:[0-9a-f]{64}$/.test(line)))
  }

  async #label(name: string, labels: readonly string[]): Promise<void> {
    await runOrThrow(this.#runner, ctr(['label', name, ...labels]))
  }
}

const ctr = (args: readonly string[]): Command => ({
  program: 'ctr',
  args: ['--namespace=k8s.io', 'images', ...args],
})
