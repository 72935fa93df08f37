/** From when to when something is valid, in milliseconds since the epoch. */
export interface Life {
  readonly notBefore?: number
  readonly notAfter: number
  /** When it should be replaced. */
  readonly refresh?: number
}

export type Mood = 'ended' | 'urgent' | 'soon' | 'near' | 'well'

export const dayMs = 86_400_000
const hourMs = 3_600_000
const minuteMs = 60_000

/** The steps of the alert rules. */
const steps: readonly (readonly [days: number, mood: Mood])[] = [
  [0, 'ended'],
  [3, 'urgent'],
  [14, 'soon'],
  [30, 'near'],
]

export function moodOf(notAfter: number, now: number): Mood {
  return steps.find(([days]) => notAfter - now < days * dayMs)?.[1] ?? 'well'
}

/** `12 d`, `7 h`, `30 min`: what is not over yet is not rounded up. */
export function span(ms: number): string {
  const length = Math.abs(ms)
  if (length >= dayMs) return `${Math.floor(length / dayMs)} d`
  if (length >= hourMs) return `${Math.floor(length / hourMs)} h`
  return `${Math.floor(length / minuteMs)} min`
}

export type Unit = keyof typeof words

/** The same to be read out: `12 days`. */
export const amount = (number: string, unit: Unit): string =>
  `${number} ${words[unit]}${number === '1' ? '' : 's'}`

const words = { d: 'day', h: 'hour', min: 'minute' } as const

/** `2026-11-16` */
export const day = (at: number): string => new Date(at).toISOString().slice(0, 10)

/** `14:02` for today, else with the day. All times are UTC. */
export function moment(at: number, now: number): string {
  const text = new Date(at).toISOString()
  const time = text.slice(11, 16)
  return day(at) === day(now) ? time : `${text.slice(0, 10)} ${time}`
}

/** Signers and leafs are replaced after four fifths of their time, or earlier if they say so. */
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
  return left > 0 ? `refresh due in ${span(left)}` : `refresh due for ${span(left)}`
}

/** A duration as Go writes it: `7008h0m0s`. */
export function goDuration(text: string | undefined): number | undefined {
  if (!text || !/^(\d+(\.\d+)?(h|ms|m|s))+$/.test(text)) return undefined
  let sum = 0
  for (const [, number, unit] of text.matchAll(/([\d.]+)(h|ms|m|s)/gy)) {
    sum += Number(number) * units[unit as keyof typeof units]
  }
  return sum
}

const units = { h: hourMs, m: minuteMs, s: 1000, ms: 1 } as const

/** Two parts of a line: the time that is over, and the time that is left, with a mark where it should be replaced. */
export function lifeLine(
  { notBefore: begin = 0, notAfter, refresh }: Life,
  now: number,
  width: number,
): { readonly gone: string; readonly left: string } {
  const cell = (at: number): number =>
    Math.floor(((at - begin) / Math.max(1, notAfter - begin)) * width)
  const cells = Array.from({ length: width }, () => '━')
  if (refresh !== undefined && width > 0) {
    cells[Math.min(Math.max(cell(refresh), 0), width - 1)] = '╋'
  }
  const isOver = now >= notAfter
  const gone = isOver ? width : Math.max(Math.min(cell(now), width - 1), 0)
  return { gone: '─'.repeat(gone), left: cells.slice(gone).join('') }
}
