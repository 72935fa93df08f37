/** The properties of `systemctl show` that `isUnitHealthy` reads. */
export const healthProperties = [
  'LoadState',
  'ActiveState',
  'SubState',
  'Result',
  'Type',
  'ConditionResult',
  'ConditionTimestampMonotonic',
] as const

/** Whether a unit runs, or for a oneshot unit, whether it succeeded. Reads `Key=value` lines. */
export function isUnitHealthy(shown: string): boolean {
  const unit = properties(shown)
  const state = unit.get('ActiveState') ?? ''
  if (runningStates.has(state)) return true
  const over = state === 'inactive' && unit.get('LoadState') === 'loaded'
  return over && (hasSucceeded(unit) || isSkipped(unit))
}

const runningStates = new Set(['active', 'reloading', 'refreshing'])

/** A oneshot unit that has exited. One with RemainAfterExit stays `active`. */
const hasSucceeded = (unit: Properties): boolean =>
  unit.get('Type') === 'oneshot' && unit.get('Result') === 'success'

/** systemd skipped the unit because a condition such as `ConditionPathExists=` is not met. */
const isSkipped = (unit: Properties): boolean =>
  unit.get('ConditionResult') === 'no' && unit.get('ConditionTimestampMonotonic') !== '0'

type Properties = ReadonlyMap<string, string>

function properties(shown: string): Properties {
  const pairs = shown.split('\n').map((line) => {
    const at = line.indexOf('=')
    return [line.slice(0, at), line.slice(at + 1)] as const
  })
  return new Map(pairs)
}
