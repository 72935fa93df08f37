import { nodeAnnotations } from '../../api/annotations.ts'
import { distributionOf } from '../../api/distribution.ts'
import { names } from '../../api/names.ts'
import { joinEvents } from '../../api/reasons.ts'
import type {
  ControllerConfig,
  MachineConfig,
  MachineConfigPool,
} from '../../api/kinds/resources.ts'
import { Waiting } from '@machinist/core/errors'
import { referenceTo } from '@machinist/core/objects/resource'
import type { Labels } from '@machinist/core/objects/selectors'
import type { KubeClient } from '@machinist/kube/client/client'
import type { Controller, Input, ReconcileContext } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import { isRelevantChange } from '@machinist/kube/controller/relevant-change'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { settled } from '@machinist/kube/controller/outcome'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import { isConflict, isNotFound } from '@machinist/kube/failure'
import { catchUpMs } from '@machinist/kube/informer/catch-up'
import type { Informer, Lister } from '@machinist/kube/informer/informer'
import type { Node } from '@machinist/kube/kinds/core'
import { nodes as nodeResource } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { decide } from './decide.ts'

/** The informers may be shared with other controllers. */
export interface RoleLabelCaches {
  readonly nodes: Informer<Node>
  readonly pools: Informer<MachineConfigPool>
  readonly machineConfigs: Informer<MachineConfig>
  readonly controllerConfigs: Informer<ControllerConfig>
}

export interface RoleLabelOptions {
  readonly client: KubeClient
  readonly caches: RoleLabelCaches
  readonly events: EventRecorder
}

/** Labels machines that joined without role labels, so that their pools select them. Keys are node names. */
export function roleLabelController(options: RoleLabelOptions): Controller {
  return {
    name: 'role-labels',
    inputs: inputsOf(options.caches),
    outputs: ['Node'],
    reconcile: (name, context) => reconcile(name, context, options),
  }
}

async function reconcile(
  name: string,
  { log, signal }: ReconcileContext,
  { client, caches, events }: RoleLabelOptions,
): Promise<Outcome> {
  const node = caches.nodes.get(name)
  const controllerConfig = caches.controllerConfigs.get(names.controllerConfig)
  const decision =
    node &&
    decide({
      node,
      pools: caches.pools.list(),
      configOf: (config) => caches.machineConfigs.get(config),
      distribution: controllerConfig && distributionOf(controllerConfig),
    })
  if (!decision) return settled
  const { pool, labels } = decision
  if (decision.type === 'ask') {
    const message = `No MachineConfigPool selects node ${name}, which runs MachineConfig ${decision.config} of pool ${pool}: it gets no updates. Run: kubectl label node ${name}${assignments(labels)}`
    events.warning(referenceTo(nodeResource, node), joinEvents.noPoolSelectsNode, message)
    return settled
  }
  const { resourceVersion } = node.metadata
  const annotations = { [nodeAnnotations.customPoolLabelsApplied]: '' }
  const change = mergePatch({ metadata: { resourceVersion, annotations, labels } })
  try {
    await client.patch(nodeResource, { name }, change, { signal })
  } catch (error) {
    if (isNotFound(error)) return settled
    if (!isConflict(error)) throw error
    throw new Waiting('NodeChanged', `node ${name} changed since it was read`, catchUpMs)
  }
  log.info('labelled new node', { pool, labels: Object.keys(labels).join() })
  return settled
}

const assignments = (labels: Labels): string =>
  Object.entries(labels)
    .map(([key, value]) => ` ${key}=${value}`)
    .join('')

function inputsOf({ nodes, pools, machineConfigs, controllerConfigs }: RoleLabelCaches): Input[] {
  const all = (): string[] => joined(nodes)
  return [
    input({
      resource: 'Node',
      informer: nodes,
      keys: (change) => {
        const { object } = change
        const isRelevant =
          change.type !== 'deleted' && hasConfig(object) && isRelevantChange(change, observed)
        return isRelevant ? [object.metadata.name] : []
      },
    }),
    input({
      resource: 'MachineConfigPool',
      informer: pools,
      keys: (change) => (isRelevantChange(change, ({ spec }) => spec.nodeSelector) ? all() : []),
    }),
    // Configs exist before the machines that boot with them, so no change enqueues a node.
    input({ resource: 'MachineConfig', informer: machineConfigs, keys: () => [] }),
    input({
      resource: 'ControllerConfig',
      informer: controllerConfigs,
      keys: (change) => (isRelevantChange(change, distributionOf) ? all() : []),
    }),
  ]
}

const joined = (nodes: Lister<Node>): string[] =>
  nodes
    .list()
    .filter(hasConfig)
    .map(({ metadata }) => metadata.name)

const hasConfig = ({ metadata: { annotations = {} } }: Readonly<Node>): boolean =>
  Object.hasOwn(annotations, nodeAnnotations.firstPivotConfig) ||
  Object.hasOwn(annotations, nodeAnnotations.currentConfig)

const observed = ({ metadata: { labels, annotations = {} } }: Readonly<Node>): unknown => [
  labels,
  annotations[nodeAnnotations.firstPivotConfig],
  annotations[nodeAnnotations.currentConfig],
]
