const seconds = '2006-01-02T15:04:05Z07:00'
const micros = '2006-01-02T15:04:05.000000Z07:00'

/** Go's error for an invalid RFC 3339 time; with `micro` exactly six fractional digits are required. */
export function timeProblem(text: string, micro: boolean): string | undefined {
  const read = micro ? partsOf(text, microParts) : partsOf(text, parts)
  const given = `parsing time ${quoted(text)}`
  if ('unread' in read) {
    const layout = micro ? micros : seconds
    const { unread, rest } = read
    return `${given} as ${quoted(layout)}: cannot parse ${quoted(rest)} as ${quoted(unread)}`
  }
  const wrong = read.outOfRange ?? dayProblem(read.numbers) ?? zoneProblem(text)
  return wrong === undefined ? undefined : `${given}: ${wrong}`
}

type Read =
  | { readonly unread: string; readonly rest: string }
  | { readonly outOfRange?: string; readonly numbers: readonly number[] }

function partsOf(text: string, layout: readonly Part[]): Read {
  const numbers: number[] = []
  let rest = text
  for (const { layoutText, reads, max = Infinity, min = 0, name } of layout) {
    const found = reads.exec(rest)?.[0]
    if (found === undefined) return { unread: layoutText, rest }
    rest = rest.slice(found.length)
    if (name === undefined) continue
    const number = Number(found)
    if (number > max || number < min) return { outOfRange: `${name} out of range`, numbers }
    numbers.push(number)
  }
  return rest === '' ? { numbers } : { outOfRange: `extra text: ${quoted(rest)}`, numbers }
}

function dayProblem([year = 0, month = 1, day = 1]: readonly number[]): string | undefined {
  return day < 1 || day > daysIn(year, month) ? 'day out of range' : undefined
}

function zoneProblem(text: string): string | undefined {
  const hours = Number(/[-+](\d\d):\d\d$/.exec(text)?.[1] ?? 0)
  return hours > 24 ? 'time zone offset hour out of range' : undefined
}

interface Part {
  /** Its form in Go's layout. */
  readonly layoutText: string
  readonly reads: RegExp
  /** Name of a number in range errors. */
  readonly name?: string
  readonly min?: number
  readonly max?: number
}

const literal = (layoutText: string): Part => ({ layoutText, reads: new RegExp(`^${layoutText}`) })
const two = /^\d\d/

const untilSeconds: readonly Part[] = [
  { layoutText: '2006', reads: /^\d{4}/, name: 'year' },
  literal('-'),
  { layoutText: '01', reads: two, name: 'month', min: 1, max: 12 },
  literal('-'),
  { layoutText: '02', reads: two, name: 'day' },
  literal('T'),
  { layoutText: '15', reads: /^\d\d?/, name: 'hour', max: 23 },
  literal(':'),
  { layoutText: '04', reads: two, name: 'minute', max: 59 },
  literal(':'),
  { layoutText: '05', reads: two, name: 'second', max: 59 },
]
const zone: Part = { layoutText: 'Z07:00', reads: /^(?:Z|[-+]\d\d:\d\d)/ }
const parts: readonly Part[] = [...untilSeconds, { layoutText: '', reads: /^(?:[.,]\d+)?/ }, zone]
const microParts: readonly Part[] = [
  ...untilSeconds,
  { layoutText: '.000000', reads: /^[.,]\d{6}/ },
  zone,
]

const quoted = (text: string): string => JSON.stringify(text)

const daysIn = (year: number, month: number): number =>
  new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate()
