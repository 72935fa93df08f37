import { createHash } from 'node:crypto'
import type { KindRegistry } from '../kinds/kind-registry.ts'
import { aggregatedDiscovery } from './aggregated.ts'
import { coreGroup, servedGroups } from './group-versions.ts'
import { groupDocument, groupList, resourceList } from './legacy.ts'

export interface AggregatedDocument {
  readonly body: Record<string, unknown>
  readonly etag: string
}

/** Discovery documents, computed once per change of the kinds. */
export class Discovery {
  readonly #kinds: KindRegistry
  readonly #made = new Map<string, AggregatedDocument>()
  #madeAt = -1

  constructor(kinds: KindRegistry) {
    this.#kinds = kinds
  }

  aggregated(root: 'api' | 'apis', version: string): AggregatedDocument {
    if (this.#madeAt !== this.#kinds.changes) this.#made.clear()
    this.#madeAt = this.#kinds.changes
    const key = `${root} ${version}`
    const known = this.#made.get(key)
    if (known) return known
    const groups = root === 'api' ? coreGroup(this.#kinds.all) : servedGroups(this.#kinds.all)
    const body = aggregatedDiscovery(groups, version)
    const digest = createHash('sha512').update(JSON.stringify(body)).digest('hex').toUpperCase()
    const made = { body, etag: `"${digest}"` }
    this.#made.set(key, made)
    return made
  }

  groups(): Record<string, unknown> {
    return groupList(servedGroups(this.#kinds.all))
  }

  group(name: string): Record<string, unknown> | undefined {
    const group = servedGroups(this.#kinds.all).find((served) => served.name === name)
    return group && groupDocument(group)
  }

  resources(group: string, version: string): Record<string, unknown> | undefined {
    const kinds = this.#kinds.all.filter((kind) => kind.group === group && kind.version === version)
    return kinds.length === 0 ? undefined : resourceList(group, version, kinds)
  }
}
