import { isLookedAfter } from '../../api/labels.ts'
import { pools as builtIn } from '../../api/names.ts'
import type { MachineConfigPool } from '../../api/resources.ts'
import { messageOf } from '@machinist/core/errors'
import type { Labels, LabelSelector } from '@machinist/core/selectors'
import { matchesLabels, nothing, selectorFromSpec } from '@machinist/core/selectors'
import type { Node } from '@machinist/kube/kinds/core'

/** Which nodes a pool wants. A selector that makes no sense selects nothing, and only this pool suffers. */
export interface PoolSelection {
  readonly pool: string
  readonly selector: LabelSelector
  readonly problem?: string
}

/** Where a node belongs. */
export interface Belonging {
  /** The pool that decides its configuration. Those of custom pools are worker nodes too, and inherit from there. */
  readonly pool?: string
  /** More than one custom pool wants the node: nobody gets it until a person decides. */
  readonly contested?: readonly string[]
  /** A custom pool wants this node too, but the control plane wins. */
  readonly overruled?: string
}

export function selectionOf(pool: Readonly<MachineConfigPool>): PoolSelection {
  const { name, deletionTimestamp } = pool.metadata
  const { nodeSelector } = pool.spec
  // Its nodes go where they belong without it: what it has rendered can only go when they have.
  if (deletionTimestamp) return { pool: name, selector: nothing }
  try {
    const selector = selectorFromSpec(nodeSelector, nothing)
    if (selector.length > 0) return { pool: name, selector }
    const problem = 'its nodeSelector is empty and would select every node: name a label'
    return { pool: name, selector: nothing, problem }
  } catch (error) {
    const problem = `its nodeSelector cannot be used: ${messageOf(error)}`
    return { pool: name, selector: nothing, problem }
  }
}

/** The pool that decides a node's configuration; none for a node that nobody gets. */
export function poolOf(
  { metadata }: Readonly<Node>,
  selections: Iterable<PoolSelection>,
): string | undefined {
  return belongingOf(metadata.labels ?? {}, selections).pool
}

/** The control plane wins over custom pools, and these over `worker`. */
export function belongingOf(labels: Labels, selections: Iterable<PoolSelection>): Belonging {
  if (!isLookedAfter(labels)) return {}
  const wanting: string[] = []
  for (const { pool, selector } of selections)
    if (matchesLabels(selector, labels)) wanting.push(pool)
  const isWorker = wanting.includes(builtIn.worker)
  const isMaster = wanting.includes(builtIn.master)
  const custom = wanting.filter((pool) => pool !== builtIn.worker && pool !== builtIn.master)
  const [first, ...others] = custom
  if (others.length > 0) return { contested: custom.sort() }
  if (isMaster) return { pool: builtIn.master, ...(first !== undefined && { overruled: first }) }
  if (first !== undefined) return { pool: first }
  return isWorker ? { pool: builtIn.worker } : {}
}
