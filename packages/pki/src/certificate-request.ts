import type { KeyObject } from 'node:crypto'
import { DerError, readElements, readOnly, tags } from '@machinist/core/encoding/der'
import { InvalidInput } from '@machinist/core/errors'
import { readPem } from '@machinist/core/encoding/pem'
import type { NamePart, Pkcs10 } from '@machinist/core/encoding/pkcs10'
import { InvalidCertificateRequest, identifiers, readPkcs10 } from '@machinist/core/encoding/pkcs10'
import { nameKinds } from './certificate-parts.ts'
import { addressText } from './ip-address.ts'

/** The content of a certificate signing request. */
export interface CertificateRequest {
  /** All attributes of the subject, in order. */
  readonly subject: readonly NamePart[]
  readonly commonName: string | undefined
  readonly organizations: readonly string[]
  readonly dnsNames: readonly string[]
  readonly ipAddresses: readonly string[]
  readonly publicKey: KeyObject
}

/** Parses a PKCS#10 request in PEM and verifies its signature. Throws InvalidInput. */
export function readRequest(pem: string): CertificateRequest {
  const { blocks } = readPem(pem)
  const block = blocks.find(({ label }) => requestLabels.has(label))
  if (!block || blocks.length !== 1) {
    throw new InvalidInput('expected exactly one PEM block "CERTIFICATE REQUEST"')
  }
  try {
    return contentOf(readPkcs10(block.der))
  } catch (error) {
    if (!(error instanceof DerError || error instanceof InvalidCertificateRequest)) throw error
    throw new InvalidInput(`invalid certificate request: ${error.message}`)
  }
}

const requestLabels = new Set(['CERTIFICATE REQUEST', 'NEW CERTIFICATE REQUEST'])

function contentOf({ subject, publicKey, extensions }: Pkcs10): CertificateRequest {
  const { modulusLength = Infinity } = publicKey.asymmetricKeyDetails ?? {}
  if (modulusLength < 2048) throw new InvalidInput('RSA keys must have at least 2048 bits')
  const valuesOf = (attribute: string): string[] =>
    subject.filter(({ type }) => type === attribute).map(({ value }) => value)
  return {
    subject,
    commonName: valuesOf(identifiers.commonName).at(-1),
    organizations: valuesOf(identifiers.organization),
    ...alternatives(extensions.get(identifiers.alternativeNames)),
    publicKey,
  }
}

type Alternatives = Pick<CertificateRequest, 'dnsNames' | 'ipAddresses'>

function alternatives(der: Uint8Array | undefined): Alternatives {
  const names = der ? readElements(readOnly(der, tags.sequence).content) : []
  const dnsNames: string[] = []
  const ipAddresses: string[] = []
  for (const { tag, content } of names) {
    const kind = tag & 0x1f
    if (kind === nameKinds.dns) dnsNames.push(Buffer.from(content).toString('latin1'))
    else if (kind === nameKinds.ip) ipAddresses.push(addressText(content))
    else throw new InvalidInput(`alternative names of type ${kindText(kind)} are not supported`)
  }
  return { dnsNames, ipAddresses }
}

const kindText = (tag: number): string =>
  Object.entries(nameKinds).find(([, kind]) => kind === tag)?.[0] ?? `number ${tag}`
