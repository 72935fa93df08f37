import type { ParserCase } from '@machinist/testing/growth/growth'
import { casesOf, runs } from '@machinist/testing/growth/growth'
import { readBundle } from '../src/bundle.ts'
import { readCertificate } from '../src/certificate.ts'
import { addressBytes } from '../src/ip-address.ts'

const certificate = `-----BEGIN CERTIFICATE-----
MIIBgTCCASegAwIBAgIUGdn1YVCXDcSwqE5lQkbDYRU7xB0wCgYIKoZIzj0EAwIw
-----END CERTIFICATE-----
`

export const growthCases: readonly ParserCase[] = [
  ...casesOf('bundle.ts readBundle', {
    read: readBundle,
    shapes: {
      'certificates that are none': (n) => certificate.repeat(n),
      beginnings: runs('-----BEGIN CERTIFICATE-----\n'),
      'text between': runs('# a\n'),
    },
  }),
  ...casesOf('certificate.ts readCertificate', {
    read: readCertificate,
    shapes: {
      letters: runs('A', '-----BEGIN CERTIFICATE-----\n', '\n-----END CERTIFICATE-----\n'),
    },
  }),
  ...casesOf('ip-address.ts addressBytes', {
    read: addressBytes,
    shapes: { colons: runs(':'), digits: runs('1.'), zeros: runs('0') },
  }),
]
