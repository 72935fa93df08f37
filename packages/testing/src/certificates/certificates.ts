import { createAuthority } from '@machinist/pki/issue'

/** The current time of the tests. */
export const today = Date.parse('2026-03-01T00:00:00Z')
const yesterday = Date.parse('2026-02-28T00:00:00Z')
const longAgo = Date.parse('2020-01-01T00:00:00Z')
/** The default expiry of valid certificates. */
const farFuture = Date.parse('2099-01-01T00:00:00Z')

/** A new CA as PEM. */
export async function ca(name: string, until = farFuture): Promise<string> {
  return (await createAuthority({ name, validity: { from: longAgo, until } })).certificate
}

export const expiredCA = await ca('expired', yesterday)

export const base64 = (text: string | Uint8Array): string => Buffer.from(text).toString('base64')

/** Decodes a base64 field as text. */
export const text = (field: string | null | undefined): string =>
  Buffer.from(field ?? '', 'base64').toString()
