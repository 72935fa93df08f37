import type { KeyObject } from 'node:crypto'
import { DerError, readElements, readOnly, tags } from '@machinist/core/der'
import { InvalidInput } from '@machinist/core/errors'
import { readPem } from '@machinist/core/pem'
import type { NamePart, Pkcs10 } from '@machinist/core/pkcs10'
import { BadRequest, identifiers, readPkcs10 } from '@machinist/core/pkcs10'
import { nameKinds } from './certificate-parts.ts'
import { addressText } from './ip-address.ts'

/** What somebody with a key of their own asks an authority to certify. */
export interface CertificateRequest {
  /** All of its subject, in order. */
  readonly subject: readonly NamePart[]
  readonly commonName: string | undefined
  readonly organizations: readonly string[]
  readonly dnsNames: readonly string[]
  readonly ipAddresses: readonly string[]
  readonly publicKey: KeyObject
}

/** Reads a PEM PKCS#10 request and checks that its sender owns the key. Throws InvalidInput. */
export function readRequest(pem: string): CertificateRequest {
  const { blocks } = readPem(pem)
  const block = blocks.find(({ label }) => requestLabels.has(label))
  if (!block || blocks.length !== 1) {
    throw new InvalidInput('there is not exactly one PEM block "CERTIFICATE REQUEST"')
  }
  try {
    return contentOf(readPkcs10(block.der))
  } catch (error) {
    if (!(error instanceof DerError || error instanceof BadRequest)) throw error
    throw new InvalidInput(`the certificate request cannot be used: ${error.message}`)
  }
}

const requestLabels = new Set(['CERTIFICATE REQUEST', 'NEW CERTIFICATE REQUEST'])

function contentOf({ subject, publicKey, extensions }: Pkcs10): CertificateRequest {
  const { modulusLength = Infinity } = publicKey.asymmetricKeyDetails ?? {}
  if (modulusLength < 2048) throw new InvalidInput('RSA keys need at least 2048 bits')
  const named = (wanted: string): string[] =>
    subject.filter(({ type }) => type === wanted).map(({ value }) => value)
  return {
    subject,
    commonName: named(identifiers.commonName).at(-1),
    organizations: named(identifiers.organization),
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
    else throw new InvalidInput(`alternative names of the type ${kindText(kind)} are not supported`)
  }
  return { dnsNames, ipAddresses }
}

const kindText = (wanted: number): string =>
  Object.entries(nameKinds).find(([, kind]) => kind === wanted)?.[0] ?? `number ${wanted}`
