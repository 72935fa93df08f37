/** The nanoseconds of each unit of Go. */
const units: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  μs: 1e3,
  ms: 1e6,
  s: 1e9,
  m: 60e9,
  h: 3600e9,
}

const part = String.raw`(?:\d{1,19}(?:\.\d{0,19})?|\.\d{1,19})(?:ns|us|µs|μs|ms|s|m|h)`
const duration = new RegExp(`^[-+]?(?:0|(?:${part}){1,16})$`)
const most = 2 ** 63

/** The milliseconds of a Go duration (`1h30m`, `1.5s`, `100ms`), the format of kubelets; undefined if invalid. */
export function readGoDuration(text: string): number | undefined {
  if (!duration.test(text)) return undefined
  let nanos = 0
  for (const [, count, unit] of text.replace(/^[-+]/, '').matchAll(/([\d.]+)([a-zµμ]+)/gy)) {
    nanos += Number(count) * units[unit!]!
  }
  if (nanos >= most) return undefined
  return (text.startsWith('-') ? -nanos : nanos) / 1e6
}
