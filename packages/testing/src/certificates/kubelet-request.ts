import type { KeyObject } from 'node:crypto'
import { generateKeyPairSync, sign } from 'node:crypto'
import { toPem } from '@machinist/core/encoding/pem'
import type { CertificateSigningRequest } from '@machinist/kube/kinds/certificates'
import * as der from '@machinist/pki/der-writer'
import { openssl } from './openssl.ts'

export const clientSigner = 'kubernetes.io/kube-apiserver-client-kubelet'
export const servingSigner = 'kubernetes.io/kubelet-serving'

/** A PEM request from openssl; `names` as in `DNS:n1,IP:10.0.0.1`. */
export function opensslRequest(subject: string, names?: string): string {
  const extension = names === undefined ? [] : ['-addext', `subjectAltName=${names}`]
  const files = ['-nodes', '-keyout', 'key', '-out', 'csr']
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256']
  return openssl({}, 'req', '-new', ...key, ...files, '-subj', subject, ...extension).read('csr')
}

/** The parts of a request, including combinations that no tool creates. */
export interface RequestParts {
  readonly subject?: readonly (readonly [type: string, value: string])[]
  /** General names with their tags: 0x82 is a DNS name, 0x87 an IP address. */
  readonly names?: readonly (readonly [tag: number, content: Uint8Array])[]
  /** Replaces the attributes that `names` would create. */
  readonly attributes?: Uint8Array
  /** The key of the certificate; the same one for all requests by default. */
  readonly key?: KeyObjects
}

const commonName = '2.5.4.3'
const organization = '2.5.4.10'

export const subjectOf = (node: string): (readonly [string, string])[] => [
  [organization, 'system:nodes'],
  [commonName, `system:node:${node}`],
]

export interface KeyObjects {
  readonly publicKey: KeyObject
  readonly privateKey: KeyObject
}

export const newKey = (): KeyObjects => generateKeyPairSync('ec', { namedCurve: 'P-256' })

const sharedKey = newKey()

/** A DER request, signed with its key. */
export function derRequest({
  subject = subjectOf('n1'),
  names,
  attributes,
  key: pair = sharedKey,
}: RequestParts): Uint8Array {
  const info = der.sequence(
    der.integer(Buffer.from([0])),
    der.sequence(
      ...subject.map(([type, value]) =>
        der.set(der.sequence(der.identifier(type), der.utf8(value))),
      ),
    ),
    pair.publicKey.export({ type: 'spki', format: 'der' }),
    attributes ??
      der.contextSpecific(0, ...(names ? [extensionsIn([sanExtension(sanOf(names))])] : [])),
  )
  const signature = sign('sha256', info, pair.privateKey)
  const ecdsaWithSha256 = der.sequence(der.identifier('1.2.840.10045.4.3.2'))
  return der.sequence(info, ecdsaWithSha256, der.bits(signature))
}

export const sanOf = (names: NonNullable<RequestParts['names']>): Buffer =>
  der.sequence(...names.map(([tag, content]) => der.element(tag, content)))

export const sanExtension = (...values: readonly Uint8Array[]): Buffer =>
  der.sequence(der.identifier('2.5.29.17'), ...values.map(der.octets))

/** The extensionRequest attribute; each value is a list of extensions. */
export const extensionsIn = (...values: readonly (readonly Uint8Array[])[]): Buffer =>
  der.sequence(
    der.identifier('1.2.840.113549.1.9.14'),
    der.set(...values.map((extensions) => der.sequence(...extensions))),
  )

export const pemOf = (bytes: Uint8Array): string => toPem('CERTIFICATE REQUEST', bytes)

export const dns = (name: string): readonly [number, Buffer] => [0x82, Buffer.from(name)]
export const ip = (...bytes: readonly number[]): readonly [number, Buffer] => [
  0x87,
  Buffer.from(bytes),
]

export const bootstrapper = {
  username: 'system:bootstrap:abcdef',
  groups: ['system:bootstrappers', 'system:authenticated'],
}

export const nodeItself = (node: string): { username: string; groups: string[] } => ({
  username: `system:node:${node}`,
  groups: ['system:nodes', 'system:authenticated'],
})

const usagesOf = (signerName: string): string[] => [
  'digital signature',
  signerName === servingSigner ? 'server auth' : 'client auth',
]

/** The CertificateSigningRequest of a PEM request, as stored by the API server. */
export function requestObject(
  pem: string,
  signerName: string,
  spec: Partial<CertificateSigningRequest['spec']> = {},
): CertificateSigningRequest {
  const request = Buffer.from(pem, 'latin1').toString('base64')
  return {
    metadata: { name: 'csr-1', uid: 'u-1', creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: { request, signerName, usages: usagesOf(signerName), ...spec },
  }
}
