import { nodeSettingsReasons } from '../../api/reasons.ts'
import type { KubeObject, Resource } from '@machinist/core/resource'
import { largestSuffix } from './names.ts'
import type { NodeSettings, SettingsProblem } from './settings-kind.ts'

/** Why an object does not hold, in one pool or at all. */
export interface Failure extends SettingsProblem {
  readonly pool?: string
}

/** All of them in one text; what is the same in several pools is told once. */
export function byPool(
  said: readonly { readonly pool?: string; readonly message: string }[],
): string {
  const byMessage = Map.groupBy(said, ({ message }) => message)
  return [...byMessage]
    .map(([message, same]) => {
      const pools = same.flatMap(({ pool }) => pool ?? [])
      if (pools.length === 0) return message
      return `${pools.length === 1 ? 'pool' : 'pools'} ${pools.join(', ')}: ${message}`
    })
    .join('; ')
}

export function tooMany(noun: string): Failure {
  return {
    reason: nodeSettingsReasons.tooMany,
    message: `max number of supported ${noun} (${largestSuffix + 1}) has been reached in a pool that it selects; put the settings of several into one, and delete the others`,
  }
}

export function noPool<T extends KubeObject>(
  { kind }: Resource<T>,
  { metadata, spec }: Readonly<NodeSettings>,
): Failure {
  const { matchLabels = {}, matchExpressions = [] } = spec.machineConfigPoolSelector ?? {}
  const isEmpty = Object.keys(matchLabels).length + matchExpressions.length === 0
  const todo = isEmpty
    ? 'spec.machineConfigPoolSelector is missing or empty and selects nothing: name a label of the pools that are meant'
    : 'give a pool the labels that spec.machineConfigPoolSelector asks for, or change that'
  return {
    reason: nodeSettingsReasons.noPool,
    message: `could not find any MachineConfigPool set for ${kind} ${metadata.name}; ${todo}`,
  }
}
