import { pools as builtIn } from '../../api/names.ts'
import type { MachineConfig, MachineConfigPool } from '../../api/resources.ts'
import type { Labels, LabelSelectorSpec } from '@machinist/core/selectors'
import { owningPool } from '../render/rendered-object.ts'

/** A machine that was served the configuration of a custom pool at first boot, and whose Node does not show it yet. */
export interface Newcomer {
  readonly pool: string
  /** What puts the node into that pool. */
  readonly labels: Labels
}

/**
 * Where a node that booted into `config` belongs. Nothing for one of a built-in pool, whose members have its labels, and
 * where the pool or what was rendered for it is gone: then the node is what its labels say.
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

/** Labels that a selector asks for and that can be told from it: where several values would do, a person decides. */
export function labelsFor(selector: LabelSelectorSpec | null | undefined): Labels {
  const asked: Record<string, string> = {}
  for (const { key, operator, values = [] } of selector?.matchExpressions ?? []) {
    if (operator === 'Exists') asked[key] = ''
    if (operator === 'In' && values.length === 1) asked[key] = values[0]!
  }
  return { ...asked, ...selector?.matchLabels }
}
