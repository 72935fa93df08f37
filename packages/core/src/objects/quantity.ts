/* Quantities of Kubernetes: `500m`, `1.5Gi`, `10G`, `1e3`. */

const unit = 1_000_000_000n

/** The value of a quantity as an integer, rounded away from zero; undefined if the text is not a quantity. */
export function quantityValue(quantity: string | number): bigint | undefined {
  const nanos = nanosOf(String(quantity))
  if (nanos === undefined) return undefined
  const size = nanos < 0n ? -nanos : nanos
  const whole = (size + unit - 1n) / unit
  return nanos < 0n ? -whole : whole
}

/** The value of a quantity in billionths, rounded away from zero; undefined if the text is not a quantity. */
export function nanosOf(text: string): bigint | undefined {
  const match =
    /^([+-]?)(\d{0,40})(?:\.(\d{0,40}))?(?:[eE]([+-]?\d{1,2})|([numkMGTPE]|[KMGTPE]i)?)$/.exec(text)
  if (!match) return undefined
  const [, sign = '', whole = '', fraction = '', exponent, suffix = ''] = match
  if (whole === '' && fraction === '') return undefined
  const power = BigInt(exponent ?? '0')
  const [times, over] = suffixes[suffix]!
  const numerator = BigInt(`${whole}${fraction}`) * times * unit * 10n ** (power > 0n ? power : 0n)
  const divisor = 10n ** BigInt(fraction.length) * over * 10n ** (power < 0n ? -power : 0n)
  const nanos = (numerator + divisor - 1n) / divisor
  return sign === '-' ? -nanos : nanos
}

const suffixes: Readonly<Record<string, readonly [bigint, bigint]>> = {
  '': [1n, 1n],
  n: [1n, 1_000_000_000n],
  u: [1n, 1_000_000n],
  m: [1n, 1000n],
  ...powers(['k', 'M', 'G', 'T', 'P', 'E'], 1000n),
  ...powers(['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'], 1024n),
}

function powers(names: readonly string[], base: bigint): Record<string, readonly [bigint, bigint]> {
  return Object.fromEntries(names.map((name, i) => [name, [base ** BigInt(i + 1), 1n] as const]))
}
