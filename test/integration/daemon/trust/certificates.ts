import type { KeyPair } from '@machinist/pki/issue'
import { createAuthority } from '@machinist/pki/issue'

const validity = {
  from: Date.parse('2026-01-01T00:00:00Z'),
  until: Date.parse('2036-01-01T00:00:00Z'),
}
const known = new Map<string, Promise<KeyPair>>()

/** The PEM certificate of a CA with this name; the same one on every call. */
export async function authority(name: string, until = validity.until): Promise<string> {
  return (await authorityPair(name, until)).certificate
}

/** The CA with its key. */
export function authorityPair(name: string, until = validity.until): Promise<KeyPair> {
  const key = `${name} ${until}`
  const made = known.get(key) ?? createAuthority({ name, validity: { ...validity, until } })
  known.set(key, made)
  return made
}

/** The certificates of several CAs. */
export async function bundle(...authorities: readonly string[]): Promise<string> {
  return (await Promise.all(authorities.map((name) => authority(name)))).join('')
}

export const base64 = (text: string): string => Buffer.from(text).toString('base64')
