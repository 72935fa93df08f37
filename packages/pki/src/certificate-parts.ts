import type { KeyObject, X509Certificate } from 'node:crypto'
import { createHash } from 'node:crypto'
import { readMembers, readOnly, tags, wholeBytes } from '@machinist/core/encoding/der'
import { identifiers, readExtensions } from '@machinist/core/encoding/pkcs10'
import * as der from './der-writer.ts'

/** Takes the parts of a name, so that no escaping is needed. */
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

/** A CA signs leaf certificates only: the path length is 0. */
export const basicConstraints = (isCa: boolean): Extension => ({
  type: identifiers.basicConstraints,
  critical: true,
  value: isCa
    ? der.sequence(der.boolean(true), der.integer(Buffer.from([pathLength])))
    : der.sequence(),
})

const pathLength = 0

/** Bit positions of the key usage extension. */
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

/** Tags of the types of alternative names. */
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

/** The first 160 bits of the SHA-256 of the key, as in RFC 7093. */
export function keyIdentifier(key: KeyObject): Uint8Array {
  const info = readOnly(key.export({ type: 'spki', format: 'der' }), tags.sequence)
  const [, bits] = readMembers(info, [tags.sequence, tags.bitString])
  return createHash('sha256').update(wholeBytes(bits!)).digest().subarray(0, 20)
}

export interface IssuerParts {
  /** The DER encoding of the subject. */
  readonly name: Uint8Array
  readonly keyIdentifier: Uint8Array
}

/** The data of an issuer that the certificates it signs contain. */
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
