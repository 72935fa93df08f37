import type { Random } from '@machinist/core/random'
import { between } from '@machinist/core/random'

/** A version 4 UUID. Uids are not secret, so deterministic randomness is sufficient. */
export function newUid(random: Random): string {
  const digits = Array.from({ length: 32 }, () => between(random, 0, 15).toString(16))
  digits[12] = '4'
  digits[16] = (8 + between(random, 0, 3)).toString(16)
  const text = digits.join('')
  const cuts = [0, 8, 12, 16, 20, 32]
  return cuts
    .slice(1)
    .map((end, index) => text.slice(cuts[index], end))
    .join('-')
}
