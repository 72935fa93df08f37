import type { Clock } from '@machinist/core/clock'
import { referenceTo } from '@machinist/core/objects/resource'
import { timestamp } from '@machinist/core/timestamp'
import { names } from '../../../api/names.ts'
import { nodePaths } from '../../../api/node-paths.ts'
import { controllerConfigs } from '../../../api/kinds/resources.ts'
import { bundleFile } from '../../../api/trust/digests.ts'
import { trustItems } from '../../../api/trust/items.ts'
import type { SharedFiles } from '../../verify/shared-files.ts'
import type { HostFiles } from '../../host/host.ts'
import type { ApplyResult, Holding, ItemHandler, ObservedItem, ApplyRequest } from './item.ts'
import { RefusedInput } from './item.ts'
import type { Ledger } from './ledger.ts'
import type { ObservedFile } from './trust-file.ts'
import { observeFile, writeVerified, refuseBadBundle } from './trust-file.ts'

export interface ItemOptions {
  /** Runs while no other writer changes a file that MachineConfigs may contain, too. */
  readonly runExclusive: SharedFiles['runExclusive']
  readonly files: HostFiles
  readonly ledger: Ledger
  readonly clock: Clock
}

interface Place {
  readonly item: typeof trustItems.kubeletClientCA | typeof trustItems.cloudCA
  readonly path: string
  readonly field: 'kubeAPIServerServingCAData' | 'cloudProviderCAData'
}

/** When the file was first found with this digest. */
type FoundNote = { digest: string; at: string }

/** A field of the ControllerConfig as the source of an item. */
export const configSource = (field: string): ItemHandler['source'] => ({
  ...referenceTo(controllerConfigs, { metadata: { name: names.controllerConfig } }),
  fieldPath: `spec.${field}`,
})

/** Never removed: without this file the kubelet does not start. */
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
  return Object.assign(bundle, { remove: () => bundle.removeFile() })
}

/** A CA bundle in one file. */
class BundleItem implements ItemHandler {
  readonly item: Place['item']
  readonly source: ItemHandler['source']
  readonly needsPayload = true
  readonly #options: ItemOptions
  readonly #place: Place
  #found: ObservedFile | undefined

  constructor(options: ItemOptions, place: Place) {
    this.item = place.item
    this.source = configSource(place.field)
    this.#options = options
    this.#place = place
  }

  watched(): readonly string[] {
    return [this.#place.path]
  }

  async observe(): Promise<ObservedItem> {
    const { files } = this.#options
    const { path } = this.#place
    this.#found = await observeFile(files, path, this.#found)
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

  /** A config or another writer may have written the file: then the time at which it was first found counts. */
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

  async apply({ payload }: ApplyRequest): Promise<ApplyResult> {
    const { files, ledger, clock, runExclusive } = this.#options
    const { path, field } = this.#place
    const data = payload?.spec[field]
    if (!data) throw new RefusedInput(`the ControllerConfig has no spec.${field}`)
    const content = bundleFile(data)
    refuseBadBundle(content)
    await ledger.claim([path])
    await runExclusive(path, () => writeVerified(files, path, content))
    ledger.recordWrite(path, timestamp(clock.now()))
    return { written: [this.item] }
  }

  async removeFile(): Promise<ApplyResult> {
    const { files, ledger, runExclusive } = this.#options
    const { path } = this.#place
    await runExclusive(path, () => files.remove(path))
    ledger.disown(path)
    return { written: [this.item] }
  }
}
