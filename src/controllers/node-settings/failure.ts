import type { KubeObject, Resource } from '@machinist/core/objects/resource'
import { nodeSettingsReasons } from '../../api/reasons.ts'
import { largestSuffix } from './names.ts'
import type { NodeSettings, SettingsProblem } from './settings-kind.ts'

/** Why an object has no effect, in one pool or in all. */
export interface SettingsFailure extends SettingsProblem {
  readonly pool?: string
}

/** All messages in one text; the same message in several pools appears once. */
export function groupByPool(
  messages: readonly { readonly pool?: string; readonly message: string }[],
): string {
  const byMessage = Map.groupBy(messages, ({ message }) => message)
  return [...byMessage]
    .map(([message, same]) => {
      const pools = same.flatMap(({ pool }) => pool ?? [])
      if (pools.length === 0) return message
      return `${pools.length === 1 ? 'pool' : 'pools'} ${pools.join(', ')}: ${message}`
    })
    .join('; ')
}

export function tooMany(noun: string): SettingsFailure {
  return {
    reason: nodeSettingsReasons.tooMany,
    message: `max number of supported ${noun} (${largestSuffix + 1}) has been reached in a selected pool; combine the settings of several objects in one, and delete the others`,
  }
}

export function noPool<T extends KubeObject>(
  { kind }: Resource<T>,
  { metadata, spec }: Readonly<NodeSettings>,
): SettingsFailure {
  const { matchLabels = {}, matchExpressions = [] } = spec.machineConfigPoolSelector ?? {}
  const isEmpty = Object.keys(matchLabels).length + matchExpressions.length === 0
  const todo = isEmpty
    ? 'spec.machineConfigPoolSelector is missing or empty and selects no pool: set it to a label of the pools'
    : 'add the labels of spec.machineConfigPoolSelector to a pool, or change the selector'
  return {
    reason: nodeSettingsReasons.noPool,
    message: `could not find any MachineConfigPool set for ${kind} ${metadata.name}; ${todo}`,
  }
}
