const seconds = '2006-01-02T15:04:05Z07:00'
const micros = '2006-01-02T15:04:05.000000Z07:00'

/** Why Go cannot read a text as RFC 3339, in its words; with `micro` it asks for exactly six digits of a second. */
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

function partsOf(text: string, wanted: readonly Part[]): Read {
  const numbers: number[] = []
  let rest = text
  for (const { shown, reads, most = Infinity, least = 0, name } of wanted) {
    const found = reads.exec(rest)?.[0]
    if (found === undefined) return { unread: shown, rest }
    rest = rest.slice(found.length)
    if (name === undefined) continue
    const number = Number(found)
    if (number > most || number < least) return { outOfRange: `${name} out of range`, numbers }
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
  /** How the layout writes it. */
  readonly shown: string
  readonly reads: RegExp
  /** Of a number, for when it is out of range. */
  readonly name?: string
  readonly least?: number
  readonly most?: number
}

const literal = (shown: string): Part => ({ shown, reads: new RegExp(`^${shown}`) })
const two = /^\d\d/

const untilSeconds: readonly Part[] = [
  { shown: '2006', reads: /^\d{4}/, name: 'year' },
  literal('-'),
  { shown: '01', reads: two, name: 'month', least: 1, most: 12 },
  literal('-'),
  { shown: '02', reads: two, name: 'day' },
  literal('T'),
  { shown: '15', reads: /^\d\d?/, name: 'hour', most: 23 },
  literal(':'),
  { shown: '04', reads: two, name: 'minute', most: 59 },
  literal(':'),
  { shown: '05', reads: two, name: 'second', most: 59 },
]
const zone: Part = { shown: 'Z07:00', reads: /^(?:Z|[-+]\d\d:\d\d)/ }
const parts: readonly Part[] = [...untilSeconds, { shown: '', reads: /^(?:[.,]\d+)?/ }, zone]
const microParts: readonly Part[] = [
  ...untilSeconds,
  { shown: '.000000', reads: /^[.,]\d{6}/ },
  zone,
]

const quoted = (text: string): string => JSON.stringify(text)

const daysIn = (year: number, month: number): number =>
  new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate()
