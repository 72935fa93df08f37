/** The source of randomness. A seeded source makes a run repeatable. */
export interface Random {
  /** A number in [0, 1). */
  next(): number
}

export const systemRandom: Random = { next: () => Math.random() }

/** Mulberry32: fast, and the same sequence for the same seed on every platform. Not for secrets. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  return {
    next() {
      state = (state + 0x6d2b79f5) >>> 0
      let mixed = Math.imul(state ^ (state >>> 15), state | 1)
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
    },
  }
}

/** `ms`, extended by a random share of up to `factor`: jitter(random, 1000, 0.2) is in [1000, 1200). */
export function jitter(random: Random, ms: number, factor: number): number {
  return ms * (1 + random.next() * factor)
}

/** A random integer in [low, high]. */
export function between(random: Random, low: number, high: number): number {
  return low + Math.floor(random.next() * (high - low + 1))
}

const suffixAlphabet = 'bcdfghjklmnpqrstvwxz2456789'

/** A random suffix for object names, without vowels so that it never spells a word. */
export function nameSuffix(random: Random, length = 5): string {
  let suffix = ''
  for (let i = 0; i < length; i++) {
    suffix += suffixAlphabet[between(random, 0, suffixAlphabet.length - 1)]
  }
  return suffix
}
