/** The validity of a certificate, in milliseconds since the epoch. */
export interface Validity {
  readonly notBefore?: number
  readonly notAfter: number
  /** When it is due for replacement. */
  readonly refresh?: number
}

export type Severity = 'ended' | 'urgent' | 'soon' | 'near' | 'well'

export const dayMs = 86_400_000
const hourMs = 3_600_000
const minuteMs = 60_000

/** The thresholds of the alert rules. */
const steps: readonly (readonly [days: number, severity: Severity])[] = [
  [0, 'ended'],
  [3, 'urgent'],
  [14, 'soon'],
  [30, 'near'],
]

export function severityOf(notAfter: number, now: number): Severity {
  return steps.find(([days]) => notAfter - now < days * dayMs)?.[1] ?? 'well'
}

/** `12 d`, `7 h`, `30 min`, rounded down. */
export function roundedSpan(ms: number): string {
  const length = Math.abs(ms)
  if (length >= dayMs) return `${Math.floor(length / dayMs)} d`
  if (length >= hourMs) return `${Math.floor(length / hourMs)} h`
  return `${Math.floor(length / minuteMs)} min`
}

export type Unit = keyof typeof words

/** The same in words: `12 days`. */
export const spelledAmount = (number: string, unit: Unit): string =>
  `${number} ${words[unit]}${number === '1' ? '' : 's'}`

const words = { d: 'day', h: 'hour', min: 'minute' } as const

/** `2026-11-16` */
export const day = (at: number): string => new Date(at).toISOString().slice(0, 10)

/** `14:02` for today, otherwise with the day. All times are UTC. */
export function moment(at: number, now: number): string {
  const text = new Date(at).toISOString()
  const time = text.slice(11, 16)
  return day(at) === day(now) ? time : `${text.slice(0, 10)} ${time}`
}

/** Signers and leaf certificates are replaced after 80 % of their validity, or earlier if annotated. */
export function refreshAt(
  notBefore: number | undefined,
  notAfter: number | undefined,
  refreshMs: number | undefined,
): number | undefined {
  if (notBefore === undefined || notAfter === undefined) return undefined
  const last = notAfter - (notAfter - notBefore) / 5
  return refreshMs === undefined ? last : Math.min(last, notBefore + refreshMs)
}

export function refreshText(refresh: number, now: number): string {
  const left = refresh - now
  return left > 0
    ? `refresh due in ${roundedSpan(left)}`
    : `refresh overdue by ${roundedSpan(left)}`
}

/** Parses a duration in the format of Go: `7008h0m0s`. */
export function goDuration(text: string | undefined): number | undefined {
  if (!text || !/^(\d+(\.\d+)?(h|ms|m|s))+$/.test(text)) return undefined
  let sum = 0
  for (const [, number, unit] of text.matchAll(/([\d.]+)(h|ms|m|s)/gy)) {
    sum += Number(number) * units[unit as keyof typeof units]
  }
  return sum
}

const units = { h: hourMs, m: minuteMs, s: 1000, ms: 1 } as const

/** Two parts of a bar: the elapsed and the remaining time, with a mark at the due replacement. */
export function validityBar(
  { notBefore: begin = 0, notAfter, refresh }: Validity,
  now: number,
  width: number,
): { readonly elapsed: string; readonly left: string } {
  const cell = (at: number): number =>
    Math.floor(((at - begin) / Math.max(1, notAfter - begin)) * width)
  const cells = Array.from({ length: width }, () => '━')
  if (refresh !== undefined && width > 0) {
    cells[Math.min(Math.max(cell(refresh), 0), width - 1)] = '╋'
  }
  const isOver = now >= notAfter
  const elapsed = isOver ? width : Math.max(Math.min(cell(now), width - 1), 0)
  return { elapsed: '─'.repeat(elapsed), left: cells.slice(elapsed).join('') }
}
