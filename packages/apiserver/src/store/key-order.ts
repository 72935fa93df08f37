import type { StoreRange } from './store.ts'

/** Keys are ordered by UTF-8 bytes, as in etcd; JavaScript's order differs beyond U+FFFF. */
export function compareKeys(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const [left, right] = [a.charCodeAt(i), b.charCodeAt(i)]
    if (left !== right) return byteRank(left) - byteRank(right)
  }
  return a.length - b.length
}

/** Surrogates are ordered after all other UTF-16 units. */
const byteRank = (unit: number): number =>
  unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit

/** A range as its first key (inclusive) and end (exclusive). */
export function boundsOf({ prefix, after }: Pick<StoreRange, 'prefix' | 'after'>): {
  low: string
  end: string
} {
  const low = after !== undefined && compareKeys(after, prefix) >= 0 ? `${after}\u0000` : prefix
  return { low, end: `${prefix}\u{10ffff}` }
}
