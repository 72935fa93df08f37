import { isObject } from '@machinist/core/encoding/json'
import type { TlsSecurityProfile } from '../../api/schema/tls-profile.ts'
import type { KubeletConf } from './kubelet-conf.ts'
import { describeValue } from './describe-value.ts'

/** The kubelet settings of a profile, and its problems. */
export interface TlsSettings {
  /** `tlsMinVersion` and `tlsCipherSuites`; empty if there are problems. */
  readonly conf: KubeletConf
  readonly problems: readonly string[]
}

interface TlsChoice {
  readonly version: string
  readonly ciphers: readonly string[]
}

/** OpenSSL names, which profiles use, and IANA names, which kubelets use; in the order of profile Old. */
const cipherNames: Readonly<Record<string, string>> = {
  TLS_AES_128_GCM_SHA256: 'TLS_AES_128_GCM_SHA256',
  TLS_AES_256_GCM_SHA384: 'TLS_AES_256_GCM_SHA384',
  TLS_CHACHA20_POLY1305_SHA256: 'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256': 'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256': 'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384': 'TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384': 'TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305': 'TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256',
  'ECDHE-RSA-CHACHA20-POLY1305': 'TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-SHA256': 'TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256',
  'ECDHE-RSA-AES128-SHA256': 'TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256',
  'ECDHE-ECDSA-AES128-SHA': 'TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA',
  'ECDHE-RSA-AES128-SHA': 'TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA',
  'ECDHE-ECDSA-AES256-SHA': 'TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA',
  'ECDHE-RSA-AES256-SHA': 'TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA',
  'AES128-GCM-SHA256': 'TLS_RSA_WITH_AES_128_GCM_SHA256',
  'AES256-GCM-SHA384': 'TLS_RSA_WITH_AES_256_GCM_SHA384',
  'AES128-SHA256': 'TLS_RSA_WITH_AES_128_CBC_SHA256',
  'AES128-SHA': 'TLS_RSA_WITH_AES_128_CBC_SHA',
  'AES256-SHA': 'TLS_RSA_WITH_AES_256_CBC_SHA',
  'DES-CBC3-SHA': 'TLS_RSA_WITH_3DES_EDE_CBC_SHA',
  'ECDHE-RSA-DES-CBC3-SHA': 'TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA',
}

/** The parts of OpenSSL names: a name of other parts is a typing error; a real cipher that kubelets lack is ignored. */
const cipherWords: ReadonlySet<string> = new Set(
  'ECDHE DHE ECDSA RSA PSK DSS ADH AECDH AES128 AES256 CAMELLIA128 CAMELLIA256 ARIA ARIA128 ARIA256 CHACHA20 POLY1305 GCM CCM CCM8 SHA SHA256 SHA384 MD5 DES CBC3 RC4 SEED NULL'.split(
    ' ',
  ),
)

export const tlsVersions = ['VersionTLS10', 'VersionTLS11', 'VersionTLS12', 'VersionTLS13'] as const

const oldCiphers = Object.keys(cipherNames).filter((name) => name !== 'ECDHE-RSA-DES-CBC3-SHA')

/** Mozilla's guidelines 5.8, as in OpenShift's API. */
const profiles: Readonly<Record<string, TlsChoice>> = {
  Old: { version: 'VersionTLS10', ciphers: oldCiphers },
  Intermediate: { version: 'VersionTLS12', ciphers: oldCiphers.slice(0, 9) },
  Modern: { version: 'VersionTLS13', ciphers: oldCiphers.slice(0, 3) },
}

/** `Custom` without settings is Intermediate, and so is a profile without a type. */
export function tlsSettings(profile: Readonly<TlsSecurityProfile>): TlsSettings {
  const type: unknown = profile.type ?? ''
  if (type === 'Custom' && isObject(profile.custom)) return customSettings(profile.custom)
  const name = type === '' || type === 'Custom' ? 'Intermediate' : type
  const choice =
    typeof name === 'string' && Object.hasOwn(profiles, name) ? profiles[name] : undefined
  if (choice) return { conf: confOf(choice), problems: [] }
  const known = [...Object.keys(profiles), 'Custom'].join(', ')
  return {
    conf: {},
    problems: [`type: unknown profile ${describeValue(type)}; use one of ${known}`],
  }
}

function customSettings(custom: Readonly<Record<string, unknown>>): TlsSettings {
  const { minTLSVersion: version = 'VersionTLS12', ciphers } = custom
  const named: unknown[] = Array.isArray(ciphers) ? ciphers : []
  const problems = named
    .filter((cipher) => !isCipher(cipher))
    .map((cipher) => `custom.ciphers: ${describeValue(cipher)} is not an OpenSSL cipher suite name`)
  if (!isTlsVersion(version)) {
    const known = tlsVersions.join(', ')
    problems.push(`custom.minTLSVersion: ${describeValue(version)} is not one of ${known}`)
    return { conf: {}, problems }
  }
  const conf = confOf({ version, ciphers: named.filter(isCipher) })
  const isLeftToKubelets = named.length === 0 || version === 'VersionTLS13'
  if (!isLeftToKubelets && !servesHttp2(conf)) problems.push(`custom.ciphers: ${http2Needs}`)
  return { conf: problems.length > 0 ? {} : conf, problems }
}

function isCipher(name: unknown): name is string {
  if (typeof name !== 'string') return false
  return Object.hasOwn(cipherNames, name) || name.split('-').every((word) => cipherWords.has(word))
}

const isTlsVersion = (version: unknown): version is (typeof tlsVersions)[number] =>
  tlsVersions.some((known) => known === version)

/** A kubelet without a cipher suite that HTTP/2 requires exits at startup. */
export function http2Problem(conf: KubeletConf): string | undefined {
  const { tlsMinVersion, tlsCipherSuites } = conf
  const isChosen = Array.isArray(tlsCipherSuites) && tlsCipherSuites.length > 0
  if (!isChosen || tlsMinVersion === 'VersionTLS13' || servesHttp2(conf)) return undefined
  return `tlsCipherSuites: ${http2Needs}`
}

const http2Needs =
  'HTTP/2 requires ECDHE-ECDSA-AES128-GCM-SHA256 or ECDHE-RSA-AES128-GCM-SHA256, or the kubelet does not start; add one of them'

function servesHttp2({ tlsCipherSuites }: KubeletConf): boolean {
  return (
    Array.isArray(tlsCipherSuites) &&
    tlsCipherSuites.some((suite) => suite === http2Suites[0] || suite === http2Suites[1])
  )
}

const http2Suites = [
  'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256',
  'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256',
] as const

/** All cipher suites of kubelets, by IANA name, as in kubelet.conf. */
export const kubeletCiphers: ReadonlySet<string> = new Set([
  ...Object.values(cipherNames),
  // Names of Go that no profile uses.
  'TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305',
  'TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305',
  'TLS_RSA_WITH_RC4_128_SHA',
  'TLS_ECDHE_RSA_WITH_RC4_128_SHA',
  'TLS_ECDHE_ECDSA_WITH_RC4_128_SHA',
])

/** Ignores ciphers that kubelets do not support; an empty list leaves the choice to the kubelet. */
function confOf({ version, ciphers }: TlsChoice): KubeletConf {
  const tlsCipherSuites = ciphers.flatMap((name) =>
    Object.hasOwn(cipherNames, name) ? cipherNames[name]! : [],
  )
  return { tlsMinVersion: version, tlsCipherSuites }
}
