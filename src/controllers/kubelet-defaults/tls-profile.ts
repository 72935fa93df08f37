import type { TlsSecurityProfile } from '../../api/kinds/kubelet-config.ts'
import { isObject } from '@machinist/core/json'
import type { KubeletConf } from './kubelet-conf.ts'
import { shown } from './shown.ts'

/** What a profile comes to for a kubelet, and what is wrong with it. */
export interface TlsSettings {
  /** `tlsMinVersion` and `tlsCipherSuites`; nothing where there are problems. */
  readonly conf: KubeletConf
  readonly problems: readonly string[]
}

interface Choice {
  readonly version: string
  readonly ciphers: readonly string[]
}

/** OpenSSL's names, which profiles use, and IANA's, which kubelets know; in the order of the profile Old. */
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

/** What OpenSSL's names are made of: one that no kubelet has is real, and comes to nothing; another is a typing error. */
const cipherWords: ReadonlySet<string> = new Set(
  'ECDHE DHE ECDSA RSA PSK DSS ADH AECDH AES128 AES256 CAMELLIA128 CAMELLIA256 ARIA ARIA128 ARIA256 CHACHA20 POLY1305 GCM CCM CCM8 SHA SHA256 SHA384 MD5 DES CBC3 RC4 SEED NULL'.split(
    ' ',
  ),
)

export const tlsVersions = ['VersionTLS10', 'VersionTLS11', 'VersionTLS12', 'VersionTLS13'] as const

const oldCiphers = Object.keys(cipherNames).filter((name) => name !== 'ECDHE-RSA-DES-CBC3-SHA')

/** Mozilla's guidelines 5.8, as the API of OpenShift has them. */
const profiles: Readonly<Record<string, Choice>> = {
  Old: { version: 'VersionTLS10', ciphers: oldCiphers },
  Intermediate: { version: 'VersionTLS12', ciphers: oldCiphers.slice(0, 9) },
  Modern: { version: 'VersionTLS13', ciphers: oldCiphers.slice(0, 3) },
}

/** `Custom` that says nothing is Intermediate; so is a profile without a type. */
export function tlsSettings(profile: Readonly<TlsSecurityProfile>): TlsSettings {
  const type: unknown = profile.type ?? ''
  if (type === 'Custom' && isObject(profile.custom)) return customSettings(profile.custom)
  const name = type === '' || type === 'Custom' ? 'Intermediate' : type
  const choice =
    typeof name === 'string' && Object.hasOwn(profiles, name) ? profiles[name] : undefined
  if (choice) return { conf: confOf(choice), problems: [] }
  const known = [...Object.keys(profiles), 'Custom'].join(', ')
  return { conf: {}, problems: [`type: there is no profile ${shown(type)}; known are ${known}`] }
}

function customSettings(custom: Readonly<Record<string, unknown>>): TlsSettings {
  const { minTLSVersion: version = 'VersionTLS12', ciphers } = custom
  const named: unknown[] = Array.isArray(ciphers) ? ciphers : []
  const problems = named
    .filter((cipher) => !isCipher(cipher))
    .map((cipher) => `custom.ciphers: ${shown(cipher)} is no cipher suite by OpenSSL's name`)
  if (!isTlsVersion(version)) {
    const known = tlsVersions.join(', ')
    problems.push(`custom.minTLSVersion: ${shown(version)} is not one of ${known}`)
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

/** A kubelet whose cipher suites leave HTTP/2 none that it must have ends as soon as it starts. */
export function http2Problem(conf: KubeletConf): string | undefined {
  const { tlsMinVersion, tlsCipherSuites } = conf
  const isChosen = Array.isArray(tlsCipherSuites) && tlsCipherSuites.length > 0
  if (!isChosen || tlsMinVersion === 'VersionTLS13' || servesHttp2(conf)) return undefined
  return `tlsCipherSuites: ${http2Needs}`
}

const http2Needs =
  'HTTP/2 needs ECDHE-ECDSA-AES128-GCM-SHA256 or ECDHE-RSA-AES128-GCM-SHA256; without both the kubelet would not start'

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

/** All that a kubelet knows, by IANA's names, as kubelet.conf has them. */
export const kubeletCiphers: ReadonlySet<string> = new Set([
  ...Object.values(cipherNames),
  // Names that Go has beside those of the profiles.
  'TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305',
  'TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305',
  'TLS_RSA_WITH_RC4_128_SHA',
  'TLS_ECDHE_RSA_WITH_RC4_128_SHA',
  'TLS_ECDHE_ECDSA_WITH_RC4_128_SHA',
])

/** Those that kubelets know; none at all leaves the choice to them. */
function confOf({ version, ciphers }: Choice): KubeletConf {
  const tlsCipherSuites = ciphers.flatMap((name) =>
    Object.hasOwn(cipherNames, name) ? cipherNames[name]! : [],
  )
  return { tlsMinVersion: version, tlsCipherSuites }
}
