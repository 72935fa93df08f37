import type { KeyObject } from 'node:crypto'
import { createPublicKey } from 'node:crypto'
import { InvalidInput } from '../base/errors.ts'
import { readPem } from '../base/pem.ts'
import { Pkcs10CertificateRequest, SubjectAlternativeNameExtension } from './x509-library.ts'

/** What somebody with a key of their own asks an authority to certify. */
export interface CertificateRequest {
  readonly commonName: string | undefined
  readonly organizations: readonly string[]
  readonly dnsNames: readonly string[]
  readonly ipAddresses: readonly string[]
  readonly publicKey: KeyObject
}

/** Reads a PEM PKCS#10 request and checks that its sender owns the key. Throws InvalidInput. */
export async function readRequest(pem: string): Promise<CertificateRequest> {
  const { blocks } = readPem(pem)
  const block = blocks.find(({ label }) => requestLabels.has(label))
  if (!block || blocks.length !== 1) {
    throw new InvalidInput('there is not exactly one PEM block "CERTIFICATE REQUEST"')
  }
  let request: CertificateRequest
  let signed: boolean
  try {
    const parsed = new Pkcs10CertificateRequest(block.der)
    request = contentOf(parsed)
    signed = await parsed.verify()
  } catch (error) {
    if (error instanceof InvalidInput) throw error
    throw new InvalidInput('the certificate request cannot be read', { cause: error })
  }
  if (!signed) throw new InvalidInput("the certificate request's signature does not match its key")
  return request
}

const requestLabels = new Set(['CERTIFICATE REQUEST', 'NEW CERTIFICATE REQUEST'])

function contentOf(parsed: Pkcs10CertificateRequest): CertificateRequest {
  const alternatives = parsed.extensions.find(
    (extension) => extension instanceof SubjectAlternativeNameExtension,
  )
  const names = alternatives?.names.items ?? []
  const other = names.find(({ type }) => type !== 'dns' && type !== 'ip')
  if (other) throw new InvalidInput(`alternative names of the type ${other.type} are not supported`)
  return {
    commonName: parsed.subjectName.getField('CN').at(-1),
    organizations: parsed.subjectName.getField('O'),
    dnsNames: names.filter(({ type }) => type === 'dns').map(({ value }) => value),
    ipAddresses: names.filter(({ type }) => type === 'ip').map(({ value }) => value),
    publicKey: strongKey(Buffer.from(parsed.publicKey.rawData)),
  }
}

function strongKey(der: Buffer): KeyObject {
  const key = createPublicKey({ key: der, type: 'spki', format: 'der' })
  const { modulusLength = Infinity } = key.asymmetricKeyDetails ?? {}
  if (modulusLength < 2048) throw new InvalidInput('RSA keys need at least 2048 bits')
  return key
}
