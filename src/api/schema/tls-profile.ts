import type { TypeOf } from './schema.ts'
import { array, nullable, object, oneOf, string } from './schema.ts'

const cipherGroup = oneOf('A key exchange group.', [
  'X25519',
  'secp256r1',
  'secp384r1',
  'secp521r1',
  'X25519MLKEM768',
  'SecP256r1MLKEM768',
  'SecP384r1MLKEM1024',
])

const customTls = object('Settings for type Custom.', {
  ciphers: array('Allowed cipher suites, as OpenSSL names them.', string('A cipher suite.')),
  minTLSVersion: oneOf('Minimum TLS version.', [
    'VersionTLS10',
    'VersionTLS11',
    'VersionTLS12',
    'VersionTLS13',
  ]),
  groups: array('Allowed key exchange groups.', cipherGroup, {
    set: true,
    minItems: 1,
    maxItems: 7,
  }),
})

export const tlsSecurityProfile = object(
  'TLS versions and cipher suites that the kubelet server accepts.',
  {
    type: oneOf(
      'Old, Intermediate and Modern are predefined profiles. Custom uses the settings in custom.',
      ['Old', 'Intermediate', 'Modern', 'Custom'],
    ),
    old: nullable(object('The profile Old has no settings.', {})),
    intermediate: nullable(object('The profile Intermediate has no settings.', {})),
    modern: nullable(object('The profile Modern has no settings.', {})),
    custom: nullable(customTls),
  },
)

export interface TlsSecurityProfile extends TypeOf<typeof tlsSecurityProfile> {}
