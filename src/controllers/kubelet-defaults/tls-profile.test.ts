import { describe, expect, it } from 'vitest'
import { http2Problem, tlsSettings } from './tls-profile.ts'

const settings = (profile: object) => tlsSettings(profile)
const custom = (ciphers: unknown, minTLSVersion?: string) =>
  settings({ type: 'Custom', custom: { ciphers, ...(minTLSVersion && { minTLSVersion }) } })

const modern = ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256']
const intermediate = [
  ...modern,
  'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256',
  'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256',
  'TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384',
  'TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384',
  'TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256',
  'TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256',
]
const old = [
  ...intermediate,
  'TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256',
  'TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256',
  'TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA',
  'TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA',
  'TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA',
  'TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA',
  'TLS_RSA_WITH_AES_128_GCM_SHA256',
  'TLS_RSA_WITH_AES_256_GCM_SHA384',
  'TLS_RSA_WITH_AES_128_CBC_SHA256',
  'TLS_RSA_WITH_AES_128_CBC_SHA',
  'TLS_RSA_WITH_AES_256_CBC_SHA',
  'TLS_RSA_WITH_3DES_EDE_CBC_SHA',
]

describe('a TLS profile', () => {
  it.each<[object, string, string[]]>([
    [{ type: 'Old', old: {} }, 'VersionTLS10', old],
    [{ type: 'Intermediate' }, 'VersionTLS12', intermediate],
    [{ type: 'Modern', modern: {} }, 'VersionTLS13', modern],
    [{}, 'VersionTLS12', intermediate],
    [{ type: 'Custom' }, 'VersionTLS12', intermediate],
    [{ type: 'Custom', custom: null }, 'VersionTLS12', intermediate],
  ])('%j', (profile, tlsMinVersion, tlsCipherSuites) => {
    expect(settings(profile)).toEqual({ conf: { tlsMinVersion, tlsCipherSuites }, problems: [] })
  })

  it('of type Custom includes the ciphers that kubelets support', () => {
    const ciphers = ['ECDHE-RSA-AES128-GCM-SHA256', 'DHE-RSA-AES128-GCM-SHA256', 'AES128-SHA']
    expect(custom(ciphers, 'VersionTLS11')).toEqual({
      conf: {
        tlsMinVersion: 'VersionTLS11',
        tlsCipherSuites: ['TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256', 'TLS_RSA_WITH_AES_128_CBC_SHA'],
      },
      problems: [],
    })
    const leftOpen = { conf: { tlsMinVersion: 'VersionTLS13', tlsCipherSuites: [] }, problems: [] }
    expect(custom([], 'VersionTLS13')).toEqual(leftOpen)
    expect(custom(['DHE-RSA-AES128-GCM-SHA256'], 'VersionTLS13')).toEqual(leftOpen)
  })

  it.each<[object, string[]]>([
    [
      { type: 'Newest' },
      ['type: unknown profile "Newest"; use one of Old, Intermediate, Modern, Custom'],
    ],
    [
      { type: 'toString' },
      ['type: unknown profile "toString"; use one of Old, Intermediate, Modern, Custom'],
    ],
    [
      { type: 'Custom', custom: { ciphers: ['ECDHE-RSA-AES128-GCM-SHA256', 'AES128SHA', 7] } },
      [
        'custom.ciphers: "AES128SHA" is not an OpenSSL cipher suite name',
        'custom.ciphers: 7 is not an OpenSSL cipher suite name',
      ],
    ],
    [
      { type: 'Custom', custom: { ciphers: [], minTLSVersion: 'TLS12' } },
      [
        'custom.minTLSVersion: "TLS12" is not one of VersionTLS10, VersionTLS11, VersionTLS12, VersionTLS13',
      ],
    ],
    [
      { type: 'Custom', custom: { ciphers: ['AES128-SHA'] } },
      [
        'custom.ciphers: HTTP/2 requires ECDHE-ECDSA-AES128-GCM-SHA256 or ECDHE-RSA-AES128-GCM-SHA256, or the kubelet does not start; add one of them',
      ],
    ],
  ])('%j is invalid', (profile, problems) => {
    expect(settings(profile)).toEqual({ conf: {}, problems })
  })
})

it('a kubelet requires a cipher suite for HTTP/2', () => {
  expect(http2Problem({ tlsCipherSuites: ['TLS_RSA_WITH_AES_128_CBC_SHA'] })).toMatch(
    /^tlsCipherSuites: HTTP\/2/,
  )
  expect(http2Problem({ tlsCipherSuites: intermediate })).toBeUndefined()
  expect(http2Problem({ tlsCipherSuites: modern, tlsMinVersion: 'VersionTLS13' })).toBeUndefined()
  expect(http2Problem({})).toBeUndefined()
})
