/** A duration in two or three digits: `90s`, `5m10s`, `3d2h`, `6y319d`. */
export function humanDuration(ms: number): string {
  const seconds = Math.trunc(ms / 1000)
  // Tolerates small clock differences between machines.
  if (seconds < -1) return '<invalid>'
  if (seconds < 120) return `${Math.max(seconds, 0)}s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 10) return both(minutes, 'm', seconds % 60, 's')
  if (minutes < 180) return `${minutes}m`
  const hours = Math.floor(minutes / 60)
  if (hours < 8) return both(hours, 'h', minutes % 60, 'm')
  if (hours < 48) return `${hours}h`
  const days = Math.floor(hours / 24)
  if (days < 8) return both(days, 'd', hours % 24, 'h')
  if (days < 730) return `${days}d`
  const years = Math.floor(days / 365)
  return years < 8 ? both(years, 'y', days % 365, 'd') : `${years}y`
}

/** The age of a timestamp; `<unknown>` if it is absent. */
export function ageOf(time: unknown, now: number): string {
  if (typeof time !== 'string') return '<unknown>'
  return humanDuration(now - Date.parse(time))
}

const both = (large: number, unit: string, small: number, smaller: string): string =>
  small === 0 ? `${large}${unit}` : `${large}${unit}${small}${smaller}`
