import type { Labels } from '@machinist/core/objects/selectors'
import { nodeAnnotations } from '../../api/annotations.ts'
import type { MachineConfigPool } from '../../api/kinds/resources.ts'
import { isManaged } from '../../api/labels.ts'
import { pools as builtIn } from '../../api/names.ts'
import { assignPool, selectionOf } from '../../fleet/pools/pool-of-node.ts'
import { owningPool } from '../../fleet/render/rendered-object.ts'
import { labelsFor } from '../../fleet/rollout/first-boot.ts'
import type { RoleLabelsFacts } from './facts.ts'

export type RoleLabelsPlan =
  | { readonly type: 'label'; readonly pool: string; readonly labels: Labels }
  /** Only an administrator may decide; `labels` are those that the pool selects by. */
  | {
      readonly type: 'ask'
      readonly pool: string
      readonly config: string
      readonly labels: Labels
    }

/**
 * Pure: the labels of a Node that no pool selects although its machine runs the config of one. Upstream kubelets cannot register
 * role labels, so on plain Kubernetes no other component puts a new machine into its pool.
 */
export function decide(facts: RoleLabelsFacts): RoleLabelsPlan | undefined {
  const { node, pools } = facts
  const { labels = {}, annotations = {} } = node.metadata
  const selections = pools.map(selectionOf)
  const { pool: selecting, contested } = assignPool(labels, selections)
  if (!isManaged(labels) || selecting !== undefined || contested) return undefined
  const run = runConfig(facts)
  if (!run) return undefined
  const { pool } = run
  const missing = labelsOf(pool, pools)
  const isPlaced = assignPool({ ...labels, ...missing }, selections).pool === pool
  const mayLabel = facts.distribution === 'kubernetes' && isFirst(annotations)
  if (mayLabel && isPlaced && !isControlPlane(pool)) return { type: 'label', pool, labels: missing }
  return { type: 'ask', ...run, labels: missing }
}

function runConfig({
  pools,
  config,
}: RoleLabelsFacts): { readonly config: string; readonly pool: string } | undefined {
  const owner = config && owningPool(config)
  if (!config || owner === undefined) return undefined
  // Machines of a deleted pool are workers, as on OpenShift.
  const exists = pools.some(({ metadata }) => metadata.name === owner)
  return { config: config.metadata.name, pool: exists ? owner : builtIn.worker }
}

/** Labels that an administrator removed later are not added again. */
const isFirst = (annotations: Readonly<Record<string, string>>): boolean =>
  annotations[nodeAnnotations.firstPivotConfig] !== undefined &&
  annotations[nodeAnnotations.customPoolLabelsApplied] === undefined

/**
 * The node writes the annotation itself. It must not be able to attract workloads of the control plane: for that reason
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
