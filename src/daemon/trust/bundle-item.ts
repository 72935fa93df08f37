import { names } from '../../api/names.ts'
import { nodePaths } from '../../api/node-paths.ts'
import { controllerConfigs } from '../../api/resources.ts'
import { bundleFile } from '../../api/trust/digests.ts'
import { trustItems } from '../../api/trust/items.ts'
import type { Clock } from '@machinist/core/clock'
import { referenceTo } from '@machinist/core/resource'
import type { KeptFiles } from '../apply/kept-files.ts'
import type { HostFiles } from '../host/host.ts'
import type { Applied, Holding, ItemHandler, Look, Order } from './item.ts'
import { Refused } from './item.ts'
import type { Ledger } from './ledger.ts'
import { timestamp } from '@machinist/core/timestamp'
import type { FoundFile } from './trust-file.ts'
import { lookAtFile, putFile, refuseBadBundle } from './trust-file.ts'

export interface ItemOptions {
  /** Runs while nobody else writes a file that configs may hold, too. */
  readonly alone: KeptFiles['alone']
  readonly files: HostFiles
  readonly ledger: Ledger
  readonly clock: Clock
}

interface Place {
  readonly item: typeof trustItems.kubeletClientCA | typeof trustItems.cloudCA
  readonly path: string
  readonly field: 'kubeAPIServerServingCAData' | 'cloudProviderCAData'
}

/** Since when the file is what it is. */
type FoundNote = { digest: string; at: string }

/** The ControllerConfig, or a field of it. */
export const configSource = (field: string): ItemHandler['source'] => ({
  ...referenceTo(controllerConfigs, { metadata: { name: names.controllerConfig } }),
  fieldPath: `spec.${field}`,
})

/** Never taken away: a kubelet without it trusts no caller at all, and does not start. */
export function kubeletCAItem(options: ItemOptions): ItemHandler {
  return new BundleItem(options, {
    item: trustItems.kubeletClientCA,
    path: nodePaths.kubeletCA,
    field: 'kubeAPIServerServingCAData',
  })
}

export function cloudCAItem(options: ItemOptions): ItemHandler {
  const bundle = new BundleItem(options, {
    item: trustItems.cloudCA,
    path: nodePaths.cloudCA,
    field: 'cloudProviderCAData',
  })
  return Object.assign(bundle, { remove: () => bundle.takeAway() })
}

/** One bundle in one file. */
class BundleItem implements ItemHandler {
  readonly item: Place['item']
  readonly source: ItemHandler['source']
  readonly needsPayload = true
  readonly #options: ItemOptions
  readonly #place: Place
  #found: FoundFile | undefined

  constructor(options: ItemOptions, place: Place) {
    this.item = place.item
    this.source = configSource(place.field)
    this.#options = options
    this.#place = place
  }

  watched(): readonly string[] {
    return [this.#place.path]
  }

  async look(): Promise<Look> {
    const { files } = this.#options
    const { path } = this.#place
    this.#found = await lookAtFile(files, path, this.#found)
    const { digest, certificates } = this.#found
    const writtenAt = digest === undefined ? undefined : await this.#writtenAt(digest)
    const holding: Holding = {
      name: this.item,
      paths: [path],
      certificates,
      ...(digest !== undefined && { digest }),
      ...(writtenAt !== undefined && { writtenAt }),
    }
    return { holdings: [holding], ...(digest !== undefined && { digest }) }
  }

  /** A config or somebody else may have written it: it counts from when it was first found as it is. */
  async #writtenAt(digest: string): Promise<string> {
    const { ledger, clock } = this.#options
    const notes = ledger.notes<FoundNote>(this.item)
    const note = notes.read()
    if (note?.digest === digest) return note.at
    const known = note ? undefined : ledger.writtenAt(this.#place.path)
    const at = known ?? timestamp(clock.now())
    await notes.write({ digest, at })
    return at
  }

  owns(): boolean {
    return this.#options.ledger.owns(this.#place.path)
  }

  adopt(): void {
    this.#options.ledger.adopt(this.#place.path)
  }

  async apply({ payload }: Order): Promise<Applied> {
    const { files, ledger, clock, alone } = this.#options
    const { path, field } = this.#place
    const data = payload?.spec[field]
    if (!data) throw new Refused('the ControllerConfig has none of it')
    const content = bundleFile(data)
    refuseBadBundle(content)
    await ledger.claim([path])
    await alone(path, () => putFile(files, path, content))
    ledger.wrote(path, timestamp(clock.now()))
    return { written: [this.item] }
  }

  async takeAway(): Promise<Applied> {
    const { files, ledger, alone } = this.#options
    const { path } = this.#place
    await alone(path, () => files.remove(path))
    ledger.disown(path)
    return { written: [this.item] }
  }
}
