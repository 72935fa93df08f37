import { createPrivateKey, X509Certificate } from 'node:crypto'

/** A certificate, parsed without the code under test. */
export interface SeenCertificate {
  readonly fingerprint: string
  readonly subject: string
  readonly notBefore: number
  readonly notAfter: number
  readonly x509: X509Certificate
}

/** Undefined if any part cannot be parsed. */
export type SeenBundle = ReadonlyMap<string, SeenCertificate> | undefined

const block = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g

/** Parses the certificates of files and objects, with a cache. */
export class CertificateReader {
  readonly #certificates = new Map<string, SeenCertificate | undefined>()
  readonly #bundles = new Map<string, SeenBundle>()
  readonly #issuers = new Map<string, boolean>()
  readonly #fitting = new Map<string, boolean>()

  /** The certificates of a text, in order; undefined if it contains anything else. */
  bundle(text: string | undefined): SeenBundle {
    if (text === undefined) return undefined
    if (!this.#bundles.has(text)) this.#bundles.set(text, this.#read(text))
    return this.#bundles.get(text)
  }

  has(text: string | undefined, fingerprint: string): boolean {
    return this.bundle(text)?.has(fingerprint) === true
  }

  isIssuedBy(leaf: SeenCertificate, issuer: SeenCertificate): boolean {
    const pair = `${leaf.fingerprint} ${issuer.fingerprint}`
    const known = this.#issuers.get(pair)
    if (known !== undefined) return known
    const is = leaf.x509.issuer === issuer.x509.subject && leaf.x509.verify(issuer.x509.publicKey)
    this.#issuers.set(pair, is)
    return is
  }

  /** Whether the private key belongs to the certificate. */
  fits({ x509, fingerprint }: SeenCertificate, key = ''): boolean {
    const pair = `${fingerprint} ${key}`
    const known = this.#fitting.get(pair)
    if (known !== undefined) return known
    const is = isKeyOf(x509, key)
    this.#fitting.set(pair, is)
    return is
  }

  #read(text: string): SeenBundle {
    const blocks = text.match(block) ?? []
    const rest = text.replaceAll(block, '').trim()
    const all = blocks.map((each) => this.#certificate(each))
    if (rest !== '' || all.length === 0 || all.includes(undefined)) return undefined
    return new Map(all.map((each) => [each!.fingerprint, each!]))
  }

  #certificate(pem: string): SeenCertificate | undefined {
    if (!this.#certificates.has(pem)) this.#certificates.set(pem, certificateIn(pem))
    return this.#certificates.get(pem)
  }
}

function isKeyOf(x509: X509Certificate, key: string): boolean {
  try {
    return x509.checkPrivateKey(createPrivateKey(key))
  } catch {
    return false
  }
}

function certificateIn(pem: string): SeenCertificate | undefined {
  try {
    const x509 = new X509Certificate(pem)
    return {
      fingerprint: x509.fingerprint256.replaceAll(':', '').toLowerCase(),
      subject: x509.subject,
      notBefore: x509.validFromDate.getTime(),
      notAfter: x509.validToDate.getTime(),
      x509,
    }
  } catch {
    return undefined
  }
}

/** The value of a key of a Secret, as text. */
export function secretText(
  secret: { readonly data?: Readonly<Record<string, string>> } | undefined,
  key: string,
): string | undefined {
  const data = secret?.data?.[key]
  return data === undefined ? undefined : Buffer.from(data, 'base64').toString()
}
