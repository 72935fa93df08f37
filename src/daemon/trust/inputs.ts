import type { KubeObject } from '@machinist/core/objects/resource'
import type { Input } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import { isRelevantChange } from '@machinist/kube/controller/relevant-change'
import type { Trigger } from '@machinist/kube/controller/trigger'
import type { Informer } from '@machinist/kube/informer/informer'
import type { Node } from '@machinist/kube/kinds/core'
import { trustItems } from '../../api/trust/items.ts'
import type { MountedSecrets } from '../host/files/mounted-secrets.ts'
import type { ConfigSource, ObservedConfig } from './desired/followed-config.ts'
import type { ItemHandler } from './items/item.ts'
import type { TrustMemory } from './memory/memory.ts'
import type { TrustReporter } from './report/status-reporter.ts'
import type { TrustWatch } from './trust-watch.ts'

type ChangesOf<T extends KubeObject> = Pick<Informer<T>, 'synced' | 'subscribe' | 'onRelist'>

export interface TrustCaches {
  /** The name of this machine's Node: the key. */
  readonly name: string
  readonly node: ChangesOf<Node>
  /** The metadata of the ControllerConfig. */
  readonly config: ChangesOf<KubeObject>
}

export interface TrustInputSources {
  readonly config: Pick<ConfigSource, 'observedIn'>
  readonly watch: Pick<TrustWatch, 'subscribe'>
  readonly mounted: Pick<MountedSecrets, 'watch'>
  /** Triggered when the restart of the kubelet makes progress. */
  readonly kubelet: Trigger
  readonly handlers: readonly ItemHandler[]
  readonly reporter: TrustReporter
  readonly memory: TrustMemory
}

/** All changes enqueue the Node of this machine. Items that a change may affect are observed again. */
export function trustInputs(caches: TrustCaches, sources: TrustInputSources): Input[] {
  return [
    configInput(caches, sources),
    nodeInput(caches, sources),
    filesInput(caches, sources),
    mountsInput(caches, sources),
    sources.kubelet,
  ]
}

/** Changes of the relevant metadata; changes of the status and of other annotations are ignored. */
const configInput = (
  { name, config: informer }: TrustCaches,
  { config, reporter }: TrustInputSources,
): Input =>
  input({
    resource: 'ControllerConfig',
    informer,
    keys: (change) =>
      isRelevantChange(change, (object) => relevantPart(config.observedIn(object))) ? [name] : [],
    relisted: () => reportAgain(name, reporter),
  })

/** With a digests annotation, only the digests matter, not the generation. */
function relevantPart(config: ObservedConfig): unknown {
  const { uid, delivery, digestsAnnotation, generation, isRotating, isComplete } = config
  return digestsAnnotation === undefined
    ? { uid, delivery, generation, isRotating, isComplete }
    : { uid, delivery, digestsAnnotation }
}

/** The identity and the roles of the Node: NodeTrust has the Node as its owner, and secrets are mounted for roles. */
const nodeInput = (
  { name, node: informer }: TrustCaches,
  { reporter, memory }: TrustInputSources,
): Input =>
  input({
    resource: 'Node',
    informer,
    keys: (change) => {
      const isOther = isRelevantChange(change, ({ metadata }) => [metadata.uid, metadata.labels])
      if (!isOther) return []
      memory.invalidate(trustItems.pullSecret)
      return [name]
    },
    relisted: () => reportAgain(name, reporter),
  })

/** A restore of etcd may have reverted the last report. */
function reportAgain(name: string, reporter: TrustReporter): string[] {
  reporter.forget()
  return [name]
}

/** Changes of watched files, and the periodic sweep. */
const filesInput = (
  { name }: TrustCaches,
  { watch, handlers, reporter, memory }: TrustInputSources,
): Input => ({
  resource: 'files of the node',
  synced: () => Promise.resolve(true),
  subscribe: (enqueue) =>
    watch.subscribe((paths) => {
      if (paths === 'any') reporter.forget()
      memory.invalidateAt(paths, handlers)
      enqueue(name, 0)
    }),
})

const mountsInput = ({ name }: TrustCaches, { mounted, memory }: TrustInputSources): Input => ({
  resource: 'mounted pull secrets',
  synced: () => Promise.resolve(true),
  subscribe: (enqueue) => {
    const watch = mounted.watch(() => {
      memory.invalidate(trustItems.pullSecret)
      enqueue(name, 0)
    })
    return () => watch.close()
  },
})
