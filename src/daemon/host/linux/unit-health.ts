/** What `systemctl show` has to tell about a unit, for `isWell`. */
export const shownProperties = [
  'LoadState',
  'ActiveState',
  'SubState',
  'Result',
  'Type',
  'ConditionResult',
  'ConditionTimestampMonotonic',
] as const

/** From `Key=value` lines: whether a unit runs; or, if it is one that does its work and ends, whether it ended well. */
export function isWell(shown: string): boolean {
  const unit = properties(shown)
  const state = unit.get('ActiveState') ?? ''
  if (running.has(state)) return true
  const over = state === 'inactive' && unit.get('LoadState') === 'loaded'
  return over && (endedWell(unit) || skipped(unit))
}

const running = new Set(['active', 'reloading', 'refreshing'])

/** A oneshot that is over. One that stays active after its exit is `active` anyway. */
const endedWell = (unit: Properties): boolean =>
  unit.get('Type') === 'oneshot' && unit.get('Result') === 'success'

/** systemd looked whether this machine needs it, and it does not: `ConditionPathExists=` and the like. */
const skipped = (unit: Properties): boolean =>
  unit.get('ConditionResult') === 'no' && unit.get('ConditionTimestampMonotonic') !== '0'

type Properties = ReadonlyMap<string, string>

function properties(shown: string): Properties {
  const pairs = shown.split('\n').map((line) => {
    const at = line.indexOf('=')
    return [line.slice(0, at), line.slice(at + 1)] as const
  })
  return new Map(pairs)
}
