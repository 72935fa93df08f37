import type { Labels, LabelSelectorSpec } from '@machinist/core/objects/selectors'
import { pools as builtIn } from '../../api/names.ts'
import type { MachineConfig, MachineConfigPool } from '../../api/kinds/resources.ts'
import { owningPool } from '../render/rendered-object.ts'

/** A machine that got the config of a custom pool at first boot, and whose Node lacks the labels of that pool. */
export interface Newcomer {
  readonly pool: string
  /** The labels that put the node into that pool. */
  readonly labels: Labels
}

/**
 * The pool of a node that booted into `config`. Undefined for a built-in pool, whose nodes have its labels already, and if
 * the pool or its rendered config no longer exists: the labels of the node decide.
 */
export function newcomerFrom(
  config: Readonly<MachineConfig> | undefined,
  poolOf: (name: string) => Readonly<MachineConfigPool> | undefined,
): Newcomer | undefined {
  const name = config && owningPool(config)
  if (name === undefined || name === builtIn.master || name === builtIn.worker) return undefined
  const labels = labelsFor(poolOf(name)?.spec.nodeSelector)
  return Object.keys(labels).length === 0 ? undefined : { pool: name, labels }
}

/** Labels that a selector requires. An expression that several values satisfy gives none: a user decides. */
export function labelsFor(selector: LabelSelectorSpec | null | undefined): Labels {
  const required: Record<string, string> = {}
  for (const { key, operator, values = [] } of selector?.matchExpressions ?? []) {
    if (operator === 'Exists') required[key] = ''
    if (operator === 'In' && values.length === 1) required[key] = values[0]!
  }
  return { ...required, ...selector?.matchLabels }
}
