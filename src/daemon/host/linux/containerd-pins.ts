import { HostFailure } from '../host-failure.ts'
import type { Command, Runner } from './runner.ts'
import { succeed } from './runner.ts'

/** What containerd goes by, and what tells ours from those that others pinned. */
const pinned = 'io.cri-containerd.pinned'
const ours = 'machinist.dev/pinned'

/**
 * Images that containerd keeps because they have a label of ours; no restart, no reload. The label is on the name that
 * containerd gives an image by its id: one that is pulled again loses its labels, and any of its names keeps an image.
 */
export class ContainerdPins {
  readonly #runner: Runner
  readonly #ids: (images: readonly string[]) => Promise<ReadonlyMap<string, string>>

  /** `ids`: of those of some images that are there. */
  constructor(
    runner: Runner,
    ids: (images: readonly string[]) => Promise<ReadonlyMap<string, string>>,
  ) {
    this.#runner = runner
    this.#ids = ids
  }

  async keeps(images: readonly string[]): Promise<boolean> {
    const ids = await this.#ids(images)
    const wanted = new Set(ids.values())
    const kept = await this.#kept()
    return ids.size === images.length && wanted.symmetricDifference(kept).size === 0
  }

  async keep(images: readonly string[]): Promise<void> {
    const ids = await this.#ids(images)
    const wanted = new Set(ids.values())
    const kept = await this.#kept()
    for (const name of wanted.difference(kept)) {
      await this.#label(name, [`${pinned}=pinned`, `${ours}=true`])
    }
    // An empty value takes a label away.
    for (const name of kept.difference(wanted)) await this.#label(name, [`${pinned}=`, `${ours}=`])
    const gone = images.find((image) => !ids.has(image))
    if (gone !== undefined) {
      throw new HostFailure(`${gone} is gone, and cannot be kept`, 'ENOENT')
    }
  }

  /** By name. */
  async #kept(): Promise<Set<string>> {
    const filter = `labels."${pinned}"==pinned,labels."${ours}"==true`
    const output = await succeed(this.#runner, ctr(['ls', '--quiet', filter]))
    return new Set(output.split('\n').filter((line) => /^(?!-).*sha256:[0-9a-f]{64}$/.test(line)))
  }

  async #label(name: string, labels: readonly string[]): Promise<void> {
    await succeed(this.#runner, ctr(['label', name, ...labels]))
  }
}

const ctr = (args: readonly string[]): Command => ({
  program: 'ctr',
  args: ['--namespace=k8s.io', 'images', ...args],
})
