import { messageOf } from '@machinist/core/errors'
import type { Labels, LabelSelector } from '@machinist/core/objects/selectors'
import { matchesLabels, nothing, selectorFromSpec } from '@machinist/core/objects/selectors'
import type { Node } from '@machinist/kube/kinds/core'
import { isManaged } from '../../api/labels.ts'
import { pools as builtIn } from '../../api/names.ts'
import type { MachineConfigPool } from '../../api/kinds/resources.ts'

/** The nodes that a pool selects. An invalid selector selects nothing and affects only its own pool. */
export interface PoolSelection {
  readonly pool: string
  readonly selector: LabelSelector
  readonly problem?: string
}

/** The pool of a node. */
export interface PoolAssignment {
  /** The pool that configures the node. Nodes of custom pools are worker nodes too and inherit from `worker`. */
  readonly pool?: string
  /** More than one custom pool selects the node: no pool configures it until a user changes its labels. */
  readonly contested?: readonly string[]
  /** A custom pool selects the node too, but the control plane has precedence. */
  readonly overruled?: string
}

export function selectionOf(pool: Readonly<MachineConfigPool>): PoolSelection {
  const { name, deletionTimestamp } = pool.metadata
  const { nodeSelector } = pool.spec
  // The nodes move to their next pool; its rendered configs can be deleted only afterwards.
  if (deletionTimestamp) return { pool: name, selector: nothing }
  try {
    const selector = selectorFromSpec(nodeSelector, nothing)
    if (selector.length > 0) return { pool: name, selector }
    const problem = 'its nodeSelector is empty and would select every node: name a label'
    return { pool: name, selector: nothing, problem }
  } catch (error) {
    const problem = `its nodeSelector is invalid: ${messageOf(error)}`
    return { pool: name, selector: nothing, problem }
  }
}

/** The pool that configures a node; undefined if none does. */
export function poolOf(
  { metadata }: Readonly<Node>,
  selections: Iterable<PoolSelection>,
): string | undefined {
  return assignPool(metadata.labels ?? {}, selections).pool
}

/** The control plane has precedence over custom pools, and custom pools over `worker`. */
export function assignPool(labels: Labels, selections: Iterable<PoolSelection>): PoolAssignment {
  if (!isManaged(labels)) return {}
  const selecting: string[] = []
  for (const { pool, selector } of selections)
    if (matchesLabels(selector, labels)) selecting.push(pool)
  const isWorker = selecting.includes(builtIn.worker)
  const isMaster = selecting.includes(builtIn.master)
  const custom = selecting.filter((pool) => pool !== builtIn.worker && pool !== builtIn.master)
  const [first, ...others] = custom
  if (others.length > 0) return { contested: custom.sort() }
  if (isMaster) return { pool: builtIn.master, ...(first !== undefined && { overruled: first }) }
  if (first !== undefined) return { pool: first }
  return isWorker ? { pool: builtIn.worker } : {}
}
