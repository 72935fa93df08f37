import type { Condition, ObjectMeta } from '@machinist/core/objects/resource'
import { silentLogger } from '@machinist/core/log'
import { seededRandom } from '@machinist/core/random'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { builtInKinds } from '../../src/kinds/catalog/built-in-kinds.ts'
import { KindRegistry } from '../../src/kinds/kind-registry.ts'
import type { ApiObject } from '../../src/kinds/kind-rules.ts'
import { MemoryStore } from '../../src/store/memory-store.ts'
import { CompiledSchemas } from '../../src/verbs/compiled-schemas.ts'
import { create } from '../../src/verbs/create.ts'
import { remove } from '../../src/verbs/delete.ts'
import { evict } from '../../src/verbs/eviction/eviction.ts'
import { fieldOwners, patchers } from '../../src/verbs/patchers.ts'
import { read } from '../../src/verbs/read.ts'
import type { NamedTarget } from '../../src/verbs/update.ts'
import { update } from '../../src/verbs/update.ts'
import type { VerbContext } from '../../src/verbs/verb-context.ts'
import { ownWrite } from '../../src/verbs/verb-context.ts'

interface Sent {
  readonly metadata: Omit<ObjectMeta, 'name'> & { name: string }
  readonly [field: string]: unknown
}

/** The verbs with an in-memory store and a virtual clock: a server without HTTP. */
export class VerbServer {
  readonly clock = new VirtualClock()
  readonly store = new MemoryStore({ clock: this.clock, log: silentLogger })
  readonly context: VerbContext = {
    store: this.store,
    clock: this.clock,
    random: seededRandom(1),
    kinds: new KindRegistry(builtInKinds),
    schemas: new CompiledSchemas(),
    patcher: patchers,
    fields: fieldOwners,
  }

  static async start(): Promise<VerbServer> {
    const server = new VerbServer()
    await server.create('Namespace', { metadata: { name: 'default' } })
    return server
  }

  target(kind: string, name: string, subresource?: string): NamedTarget {
    const served = this.context.kinds.all.find((each) => each.kind === kind)!
    return { kind: served, name, subresource, ...(served.namespaced && { namespace: 'default' }) }
  }

  create(kind: string, object: Sent): Promise<ApiObject> {
    const { name: _, ...target } = this.target(kind, '')
    return create(this.context, target, object, ownWrite)
  }

  createIn(namespace: string, kind: string, object: Sent): Promise<ApiObject> {
    const { name: _, ...target } = this.target(kind, '')
    return create(this.context, { ...target, namespace }, object, ownWrite)
  }

  read(kind: string, name: string): ApiObject {
    return read(this.context, this.target(kind, name))
  }

  status(kind: string, name: string): Record<string, unknown> {
    return this.read(kind, name)['status'] as Record<string, unknown>
  }

  update(
    kind: string,
    name: string,
    part: Readonly<Record<string, unknown>>,
    subresource?: string,
  ): Promise<ApiObject> {
    const target = this.target(kind, name, subresource)
    return update(this.context, target, (object) => ({ ...object, ...part }), ownWrite)
  }

  remove(kind: string, name: string): Promise<unknown> {
    return remove(this.context, this.target(kind, name), { dryRun: false })
  }

  evict(name: string, deleteOptions: object = {}, dryRun = false): Promise<void> {
    const eviction = { metadata: { name }, deleteOptions } as unknown as ApiObject
    return evict(this.context, this.target('Pod', name, 'eviction'), eviction, {
      ...ownWrite,
      dryRun,
    })
  }

  /** A pod on a node, ready or not. */
  async pod(name: string, app: string, ready = true, metadata: object = {}): Promise<ApiObject> {
    await this.create('Pod', {
      metadata: { name, labels: { app }, ...metadata },
      spec: { nodeName: 'n', containers: [{ name: 'main', image: 'example.org/main:1' }] },
    })
    return this.ready(name, ready)
  }

  ready(name: string, ready: boolean): Promise<ApiObject> {
    const conditions: Condition[] = [{ type: 'Ready', status: ready ? 'True' : 'False' }]
    const status = { ...this.status('Pod', name), phase: 'Running', conditions }
    return this.update('Pod', name, { status }, 'status')
  }

  budget(name: string, spec: object): Promise<ApiObject> {
    const selector = { matchLabels: { app: name } }
    return this.create('PodDisruptionBudget', { metadata: { name }, spec: { selector, ...spec } })
  }
}
