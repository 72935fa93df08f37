/** A duration: `48 s`, `2 min 5 s`, `1 h 3 min`, `3 d 4 h`. */
export function durationText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  const largest = units.findIndex(([length]) => seconds >= length)
  if (largest === -1) return '0 s'
  const [[length, unit], next] = [units[largest]!, units[largest + 1]]
  const rest = next ? Math.floor((seconds % length) / next[0]) : 0
  const whole = `${Math.floor(seconds / length)} ${unit}`
  return rest > 0 ? `${whole} ${rest} ${next![1]}` : whole
}

const units = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'min'],
  [1, 's'],
] as const

/** `14:02:11`, UTC. */
export const clockTime = (at: number): string => new Date(at).toISOString().slice(11, 19)

/** Milliseconds since the epoch; undefined if the text is not a time. */
export function toMilliseconds(text: string | null | undefined): number | undefined {
  const at = Date.parse(text ?? '')
  return Number.isFinite(at) ? at : undefined
}
