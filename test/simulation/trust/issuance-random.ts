import type { KeyObject } from 'node:crypto'
import { checkPrimeSync, createHash, createPrivateKey } from 'node:crypto'
import type { Random } from '@machinist/core/random'
import { between } from '@machinist/core/random'
import type { IssuanceRandom } from '@machinist/pki/issue'

/** Any two primes make a key. They are small: simulated keys protect nothing. */
const primes = 21
const keyCount = (primes * (primes - 1)) / 2
const primeBytes = 64
const exponent = 65_537n

/** Deterministic keys and serial numbers. RSA, because its signatures are deterministic. */
export function issuanceRandom(random: Random): IssuanceRandom {
  let next = 0
  return {
    key: async () => keyNumber(next++ % keyCount),
    serial() {
      const bytes = Uint8Array.from({ length: 16 }, () => between(random, 0, 255))
      bytes[0] = (bytes[0]! & 0x3f) | 0x40
      return bytes
    },
  }
}

const madePrimes: bigint[] = []
const made: KeyObject[] = []

/** Neighbours first, so that consecutive keys share few primes. */
function keyNumber(number: number): KeyObject {
  const [distance, first] = [1 + Math.floor(number / primes), number % primes]
  made[number] ??= keyFrom(primeNumber(first), primeNumber((first + distance) % primes))
  return made[number]
}

function primeNumber(number: number): bigint {
  madePrimes[number] ??= prime(number)
  return madePrimes[number]
}

/** The first prime after a number derived from a hash. */
function prime(number: number): bigint {
  const halves = ['a', 'b'].map((half) => createHash('sha256').update(`${half}${number}`).digest())
  const bytes = Buffer.concat(halves).subarray(0, primeBytes)
  bytes[0] = bytes[0]! | 0xc0
  bytes[primeBytes - 1] = bytes[primeBytes - 1]! | 1
  let candidate = BigInt(`0x${bytes.toString('hex')}`)
  while ((candidate - 1n) % exponent === 0n || !checkPrimeSync(candidate)) candidate += 2n
  return candidate
}

function keyFrom(p: bigint, q: bigint): KeyObject {
  const d = inverse(exponent, (p - 1n) * (q - 1n))
  const parts = { n: p * q, e: exponent, d, p, q, dp: d % (p - 1n), dq: d % (q - 1n) }
  const numbers = Object.entries({ ...parts, qi: inverse(q, p) })
  const fields = Object.fromEntries(numbers.map(([name, number]) => [name, base64url(number)]))
  return createPrivateKey({ key: { kty: 'RSA', ...fields }, format: 'jwk' })
}

/** The modular inverse, by the extended Euclidean algorithm. */
function inverse(number: bigint, modulus: bigint): bigint {
  let [a, b, x, y] = [number, modulus, 1n, 0n]
  while (b > 0n) [a, b, x, y] = [b, a % b, y, x - (a / b) * y]
  return ((x % modulus) + modulus) % modulus
}

function base64url(number: bigint): string {
  const hex = number.toString(16)
  return Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex').toString('base64url')
}
