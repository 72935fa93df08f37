import type { Command, Runner } from './runner.ts'
import { succeed } from './runner.ts'

/** What containerd goes by, and what tells ours from those that others pinned. */
const pinned = 'io.cri-containerd.pinned'
const ours = 'machinist.dev/pinned'

/** Images that containerd keeps because they have a label of ours; no restart, no reload. */
export class ContainerdPins {
  readonly #runner: Runner

  constructor(runner: Runner) {
    this.#runner = runner
  }

  async keeps(images: readonly string[]): Promise<boolean> {
    const kept = await this.#kept()
    return kept.size === images.length && images.every((image) => kept.has(image))
  }

  async keep(images: readonly string[]): Promise<void> {
    const kept = await this.#kept()
    const wanted = new Set(images)
    for (const image of wanted) {
      if (!kept.has(image)) await this.#label(image, [`${pinned}=pinned`, `${ours}=true`])
    }
    for (const image of kept) {
      // An empty value takes a label away.
      if (!wanted.has(image)) await this.#label(image, [`${pinned}=`, `${ours}=`])
    }
  }

  async #kept(): Promise<Set<string>> {
    const filter = `labels."${pinned}"==pinned,labels."${ours}"==true`
    const output = await succeed(this.#runner, ctr(['ls', '--quiet', filter]))
    return new Set(output.split('\n').filter((line) => line.includes('@sha256:')))
  }

  async #label(image: string, labels: readonly string[]): Promise<void> {
    await succeed(this.#runner, ctr(['label', image, ...labels]))
  }
}

const ctr = (args: readonly string[]): Command => ({
  program: 'ctr',
  args: ['--namespace=k8s.io', 'images', ...args],
})
