import type { KeyObject, X509Certificate } from 'node:crypto'
import { createHash } from 'node:crypto'
import { readMembers, readOnly, tags, wholeBytes } from '@machinist/core/der'
import { identifiers, readExtensions } from '@machinist/core/pkcs10'
import * as der from './der-writer.ts'

/** Names are given in parts, never as one text that would have to be escaped. */
export function nameDer(commonName: string, organizations: readonly string[]): Uint8Array {
  const part = (type: string, text: string): Buffer =>
    der.set(der.sequence(der.identifier(type), der.utf8(text)))
  return der.sequence(
    ...organizations.map((organization) => part(identifiers.organization, organization)),
    ...(commonName === '' ? [] : [part(identifiers.commonName, commonName)]),
  )
}

export interface Extension {
  readonly type: string
  readonly critical?: boolean
  readonly value: Uint8Array
}

export function extensionDer({ type, critical = false, value }: Extension): Uint8Array {
  return der.sequence(
    der.identifier(type),
    ...(critical ? [der.boolean(true)] : []),
    der.octets(value),
  )
}

/** An authority signs leafs only: no other one may stand between it and them. */
export const isAuthority = (yes: boolean): Extension => ({
  type: identifiers.basicConstraints,
  critical: true,
  value: yes
    ? der.sequence(der.boolean(true), der.integer(Buffer.from([intermediates])))
    : der.sequence(),
})

const intermediates = 0

/** Places of the bits in a key's usage. */
export const keyUses = {
  digitalSignature: 0,
  keyEncipherment: 2,
  signCertificates: 5,
  signLists: 6,
}

export const keyUsage = (...uses: readonly number[]): Extension => ({
  type: identifiers.keyUsage,
  critical: true,
  value: der.flags(...uses),
})

const purposes = { server: '1.3.6.1.5.5.7.3.1', client: '1.3.6.1.5.5.7.3.2' } as const

export const extendedUsage = (usages: readonly (keyof typeof purposes)[]): Extension => ({
  type: identifiers.extendedKeyUsage,
  value: der.sequence(...usages.map((usage) => der.identifier(purposes[usage]))),
})

/** Kinds of alternative names: the numbers by which they are told apart. */
export const nameKinds = { email: 1, dns: 2, directory: 4, url: 6, ip: 7, id: 8 } as const

export const alternativeNames = (
  dnsNames: readonly string[],
  addresses: readonly Uint8Array[],
): Extension => ({
  type: identifiers.alternativeNames,
  value: der.sequence(
    ...dnsNames.map((name) => der.element(0x80 | nameKinds.dns, Buffer.from(name))),
    ...addresses.map((address) => der.element(0x80 | nameKinds.ip, address)),
  ),
})

export const subjectKey = (key: KeyObject): Extension => ({
  type: identifiers.subjectKeyIdentifier,
  value: der.octets(keyIdentifier(key)),
})

export const authorityKey = (identifier: Uint8Array): Extension => ({
  type: identifiers.authorityKeyIdentifier,
  value: der.sequence(der.element(0x80, identifier)),
})

/** What tells keys apart: the first 160 bits of the key's SHA-256, as RFC 7093 has it. */
export function keyIdentifier(key: KeyObject): Uint8Array {
  const info = readOnly(key.export({ type: 'spki', format: 'der' }), tags.sequence)
  const [, bits] = readMembers(info, [tags.sequence, tags.bitString])
  return createHash('sha256').update(wholeBytes(bits!)).digest().subarray(0, 20)
}

export interface IssuerParts {
  /** The subject as it is written in the certificate, byte for byte. */
  readonly name: Uint8Array
  readonly keyIdentifier: Uint8Array
}

/** What the certificates of an issuer say about it. */
export function issuerParts({ raw, publicKey }: X509Certificate): IssuerParts {
  const [body] = readMembers(readOnly(raw, tags.sequence), [tags.sequence])
  const [, , , , , subject, , ...rest] = readMembers(body!, [
    tags.optional0,
    tags.integer,
    tags.sequence,
    tags.sequence,
    tags.sequence,
    tags.sequence,
    tags.sequence,
  ])
  const listed = rest.find(({ tag }) => tag === extensionsTag)
  const extensions = new Map(listed ? readExtensions(readOnly(listed.content, tags.sequence)) : [])
  const given = extensions.get(identifiers.subjectKeyIdentifier)
  return {
    name: subject!.whole,
    keyIdentifier: given ? readOnly(given, tags.octetString).content : keyIdentifier(publicKey),
  }
}

const extensionsTag = 0xa3
