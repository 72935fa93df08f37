import type { ComparedRotation } from './facts.ts'

/** `0`, `3`, or `1–2` if nodes differ; a dash without nodes. */
export function range(numbers: readonly number[]): string {
  if (numbers.length === 0) return '–'
  const [minimum, maximum] = [Math.min(...numbers), Math.max(...numbers)]
  return minimum === maximum ? `${minimum}` : `${minimum}–${maximum}`
}

/** `no file`, `1 file`, `3 files`. */
export function counted(number: number, what: string): string {
  return number === 0 ? `no ${what}` : `${number} ${what}${number === 1 ? '' : 's'}`
}

/** `1.9 s`, `19 s`; a dash without a value. */
export function seconds(value: number | undefined): string {
  if (value === undefined) return '–'
  return value < 9.95 ? `${value.toFixed(1)} s` : `${Math.round(value)} s`
}

/** `a`, `a and b`, `a, b and 2 more`. */
export function listed(names: readonly string[], limit = 3): string {
  const shown = names.length > limit ? names.slice(0, limit - 1) : names
  const rest = names.length - shown.length
  const parts = rest > 0 ? [...shown, `${rest} more`] : shown
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
}

export const sum = (numbers: readonly number[]): number =>
  numbers.reduce((total, number) => total + number, 0)

/** When each node had the new CA, in seconds, sorted. */
export const arrivals = ({ nodes }: ComparedRotation): number[] =>
  nodes.flatMap((node) => node.seconds ?? []).toSorted((a, b) => a - b)
