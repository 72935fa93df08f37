import { nodeAnnotations } from '../../api/annotations.ts'
import type { Distribution } from '../../api/distribution.ts'
import { isLookedAfter } from '../../api/labels.ts'
import { pools as builtIn } from '../../api/names.ts'
import type { MachineConfig, MachineConfigPool } from '../../api/resources.ts'
import type { Labels } from '@machinist/core/selectors'
import type { Node } from '@machinist/kube/kinds/core'
import { owningPool } from '../../fleet/render/rendered-object.ts'
import { labelsFor } from '../../fleet/rollout/first-boot.ts'
import { belongingOf, selectionOf } from '../../fleet/pools/pool-of-node.ts'

export interface RoleLabelFacts {
  readonly node: Readonly<Node>
  readonly pools: readonly Readonly<MachineConfigPool>[]
  readonly configOf: (name: string) => Readonly<MachineConfig> | undefined
  /** Undefined while there is no ControllerConfig. */
  readonly distribution: Distribution | undefined
}

export type RoleLabelDecision =
  | { readonly type: 'label'; readonly pool: string; readonly labels: Labels }
  /** Only an administrator may decide; `labels` are those that the pool selects by. */
  | {
      readonly type: 'ask'
      readonly pool: string
      readonly config: string
      readonly labels: Labels
    }

/**
 * Pure: what to do about a Node that no pool selects although its machine runs the config of one. Upstream kubelets may not
 * register role labels, so on plain Kubernetes nobody else puts a machine that just joined into its pool.
 */
export function decide(facts: RoleLabelFacts): RoleLabelDecision | undefined {
  const { node, pools } = facts
  const { labels = {}, annotations = {} } = node.metadata
  const selections = pools.map(selectionOf)
  const { pool: selecting, contested } = belongingOf(labels, selections)
  if (!isLookedAfter(labels) || selecting !== undefined || contested) return undefined
  const run = runConfig(facts)
  if (!run) return undefined
  const { pool } = run
  const missing = labelsOf(pool, pools)
  const isPlaced = belongingOf({ ...labels, ...missing }, selections).pool === pool
  const mayLabel = facts.distribution === 'kubernetes' && isFirst(annotations)
  if (mayLabel && isPlaced && !isControlPlane(pool)) return { type: 'label', pool, labels: missing }
  return { type: 'ask', ...run, labels: missing }
}

function runConfig({
  node,
  pools,
  configOf,
}: RoleLabelFacts): { readonly config: string; readonly pool: string } | undefined {
  const { annotations = {} } = node.metadata
  const { firstPivotConfig, currentConfig } = nodeAnnotations
  const config = annotations[firstPivotConfig] ?? annotations[currentConfig]
  const found = config === undefined ? undefined : configOf(config)
  const owner = found && owningPool(found)
  if (config === undefined || owner === undefined) return undefined
  // Machines of a pool that is gone are workers, as they are on OpenShift.
  const isThere = pools.some(({ metadata }) => metadata.name === owner)
  return { config, pool: isThere ? owner : builtIn.worker }
}

/** An administrator who removes the labels later means it. */
const isFirst = (annotations: Readonly<Record<string, string>>): boolean =>
  annotations[nodeAnnotations.firstPivotConfig] !== undefined &&
  annotations[nodeAnnotations.customPoolLabelsApplied] === undefined

/**
 * The annotation is the node's own claim. It must not be enough to attract the workloads of the control plane: that is why
 * NodeRestriction keeps kubelets from setting such labels.
 */
const isControlPlane = (pool: string): boolean =>
  pool === builtIn.master || pool === builtIn.arbiter

/** Nodes of custom pools are workers too. */
function labelsOf(pool: string, pools: readonly Readonly<MachineConfigPool>[]): Labels {
  const of = (name: string): Labels =>
    labelsFor(pools.find(({ metadata }) => metadata.name === name)?.spec.nodeSelector)
  return isControlPlane(pool) ? of(pool) : { ...of(builtIn.worker), ...of(pool) }
}
