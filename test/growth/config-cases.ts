import { gzipSync } from 'node:zlib'
import { readPinnedDigests } from '../../src/api/pinned-images.ts'
import { readTrustDigests } from '../../src/api/trust/digests.ts'
import { readLogins } from '../../src/api/trust/registry-logins.ts'
import { commonNameIn, signerFamily } from '../../src/api/trust/signer-family.ts'
import { contentFacts } from '../../src/ignition/content-facts.ts'
import { decodeRawConfig } from '../../src/ignition/content-raw.ts'
import { parseAnyVersion, parseAsWritten } from '../../src/ignition/convert/parse-any.ts'
import { merge } from '../../src/ignition/merge.ts'
import { readJson } from '../../src/ignition/parse-json.ts'
import { parseConfig } from '../../src/ignition/parse.ts'
import { readVersion } from '../../src/ignition/spec-version.ts'
import { readUnitSyntax } from '../../src/ignition/validate/unit-syntax.ts'
import { splitUrl } from '../../src/ignition/validate/urls.ts'
import type { Config } from '../../src/ignition/config.ts'
import { readBundle } from '../../src/pki/bundle.ts'
import { readCertificate } from '../../src/pki/certificate.ts'
import { addressBytes } from '../../src/pki/ip-address.ts'
import { kernelWords } from '../../src/planner/kernel-arguments.ts'
import { plan } from '../../src/planner/plan.ts'
import { closestRule } from '../../src/api/disruption-policy/match.ts'
import { decodeProvenance } from '../../src/planner/provenance.ts'
import { registriesDanger } from '../../src/planner/registries.ts'
import { defaultRules, facts, machineConfig } from '../planner/configs.ts'
import type { ParserCase } from './growth.ts'
import { casesOf, many, runs } from './growth.ts'

const numbered = <T>(n: number, one: (i: number) => T): T[] =>
  Array.from({ length: n }, (_, i) => one(i))

const spec3 = (n: number): Config => ({
  ignition: { version: '3.5.0' },
  storage: { files: numbered(n, (i) => ({ path: `/f${i}`, contents: { source: 'data:,x' } })) },
  systemd: { units: numbered(n, (i) => ({ name: `u${i}.service`, contents: '[Unit]\n' })) },
})
const spec2 = (n: number): object => ({
  ignition: { version: '2.2.0' },
  storage: {
    files: numbered(n, (i) => ({
      filesystem: 'root',
      path: `/f${i}`,
      contents: { source: 'data:,x' },
    })),
  },
  systemd: { units: numbered(n, (i) => ({ name: `u${i}.service`, contents: '[Unit]\n' })) },
})
const links = (n: number): object => ({
  ignition: { version: '3.5.0' },
  storage: {
    directories: numbered(n, (i) => ({ path: `/d${i}` })),
    links: numbered(n, (i) => ({ path: `/d${i}/l`, target: '/t' })),
  },
})
const partitions = (n: number): object => ({
  ignition: { version: '3.5.0' },
  storage: {
    disks: [
      {
        device: '/dev/sda',
        partitions: numbered(n, (i) => ({
          label: `p${i}`,
          number: i + 1,
          sizeMiB: 1,
          startMiB: i + 1,
        })),
      },
    ],
  },
})
const certificate = `-----BEGIN CERTIFICATE-----
MIIBgTCCASegAwIBAgIUGdn1YVCXDcSwqE5lQkbDYRU7xB0wCgYIKoZIzj0EAwIw
-----END CERTIFICATE-----
`

/** Ignition, certificates, the planner and the nouns. */
export const configCases: readonly ParserCase[] = [
  ...casesOf('ignition/parse-json.ts readJson', {
    read: readJson,
    shapes: {
      keys: (n) => `{${many(n, (i) => `"k${i}":1`, ',')}}`,
      'equal keys': (n) => `{${many(n, () => '"k":1', ',')}}`,
      'open brackets': runs('['),
      'a text without end': runs('a', '"'),
      escapes: runs('\\n', '"', '"'),
      digits: runs('1'),
      blanks: runs(' ', '{', 'x'),
    },
  }),
  ...casesOf('ignition/parse.ts parseConfig', {
    read: (text) => parseConfig(text),
    shapes: {
      'files and units': (n) => JSON.stringify(spec3(n)),
      'links and directories': (n) => JSON.stringify(links(n)),
      partitions: (n) => JSON.stringify(partitions(n)),
      'unknown keys': (n) =>
        JSON.stringify({
          ignition: { version: '3.5.0' },
          ...Object.fromEntries(numbered(n, (i) => [`k${i}`, 1])),
        }),
      'equal files': (n) =>
        JSON.stringify({
          ignition: { version: '3.5.0' },
          storage: { files: numbered(n, () => ({ path: '/f' })) },
        }),
      'parts of a path': (n) =>
        JSON.stringify({
          ignition: { version: '3.5.0' },
          storage: { files: [{ path: '/a'.repeat(n) }] },
        }),
    },
  }),
  ...casesOf('ignition/convert/parse-any.ts parseAnyVersion', {
    read: parseAnyVersion,
    shapes: {
      'spec 2': (n) => JSON.stringify(spec2(n)),
      'spec 3': (n) => JSON.stringify(spec3(n)),
    },
  }),
  ...casesOf('ignition/convert/parse-any.ts parseAsWritten', {
    read: parseAsWritten,
    shapes: { 'spec 2': (n) => JSON.stringify(spec2(n)) },
  }),
  ...casesOf<Config>('ignition/merge.ts merge', {
    read: (config) => merge([config, config]),
    shapes: { 'files and units': spec3 },
  }),
  ...casesOf('ignition/validate/unit-syntax.ts readUnitSyntax', {
    read: readUnitSyntax,
    shapes: {
      sections: runs('[Unit]\n'),
      options: runs('A=b\n', '[Unit]\n'),
      continuations: runs('a\\\n', '[Unit]\nA='),
      comments: runs('#\n'),
      brackets: runs('['),
      blanks: runs(' ', '[Unit]\nA', 'x'),
      'lines that are none': runs('x\n'),
    },
  }),
  ...casesOf('ignition/validate/urls.ts splitUrl', {
    read: splitUrl,
    shapes: {
      colons: runs(':', 'http'),
      slashes: runs('/', 'http:'),
      'percent signs': runs('%', 'http://h/'),
      users: runs('@', 'http://'),
      letters: runs('a'),
    },
  }),
  ...casesOf('ignition/spec-version.ts readVersion', {
    read: readVersion,
    shapes: { zeros: runs('0', '', '3.x'), points: runs('3.') },
  }),
  ...casesOf<Uint8Array>('ignition/content-raw.ts decodeRawConfig', {
    read: (raw) => decodeRawConfig(raw),
    shapes: {
      base64: (n) => Buffer.from('QUJD'.repeat(n)),
      'gzip of zeros': (n) => gzipSync(Buffer.alloc(n)),
      'empty members of gzip': (n) => Buffer.concat(numbered(n, () => emptyMember)),
    },
  }),
  ...casesOf('ignition/content-facts.ts contentFacts', {
    read: (text) => contentFacts({ source: text, compression: 'gzip' }),
    shapes: {
      'empty members of gzip': (n) =>
        `data:;base64,${Buffer.concat(numbered(n, () => emptyMember)).toString('base64')}`,
    },
  }),
  ...casesOf('pki/bundle.ts readBundle', {
    read: readBundle,
    shapes: {
      'certificates that are none': (n) => certificate.repeat(n),
      beginnings: runs('-----BEGIN CERTIFICATE-----\n'),
      'text between': runs('# a\n'),
    },
  }),
  ...casesOf('pki/certificate.ts readCertificate', {
    read: readCertificate,
    shapes: {
      letters: runs('A', '-----BEGIN CERTIFICATE-----\n', '\n-----END CERTIFICATE-----\n'),
    },
  }),
  ...casesOf('pki/ip-address.ts addressBytes', {
    read: addressBytes,
    shapes: { colons: runs(':'), digits: runs('1.'), zeros: runs('0') },
  }),
  ...casesOf('planner/kernel-arguments.ts kernelWords', {
    read: kernelWords,
    shapes: { words: runs('a=b '), quotes: runs('"', 'a='), blanks: runs(' ', 'a', 'b') },
  }),
  ...casesOf<Config>('planner/plan.ts plan', {
    read: (config) =>
      plan({
        current: machineConfig('a', {}),
        desired: machineConfig('b', { config }),
        rules: defaultRules,
        facts,
      }),
    shapes: { 'files and units': spec3 },
  }),
  ...casesOf('api/disruption-policy/match.ts closestRule', {
    read: (path) => closestRule('/etc/a', [{ path }]),
    shapes: { slashes: runs('/', '/etc', 'x'), stars: runs('*', '/'), questions: runs('?a', '/') },
  }),
  ...casesOf('api/disruption-policy/match.ts closestRule', {
    read: (path) => closestRule(path, [{ path: `/${'*a'.repeat(100)}` }]),
    shapes: { 'a long path': runs('a', '/') },
  }),
  ...casesOf('planner/provenance.ts decodeProvenance', {
    read: decodeProvenance,
    shapes: { letters: runs('A', '1:') },
  }),
  ...casesOf('planner/registries.ts registriesDanger', {
    read: (text) => registriesDanger(text, `${text}\n`),
    shapes: {
      registries: (n) => many(n, (i) => `[[registry]]\nlocation = "h${i}"\n`),
      mirrors: (n) =>
        `[[registry]]\nlocation = "h"\n${many(n, (i) => `[[registry.mirror]]\nlocation = "m${i}"\n`)}`,
    },
  }),
  ...casesOf<Uint8Array>('api/trust/registry-logins.ts readLogins', {
    read: (bytes) => readLogins(bytes),
    shapes: {
      registries: (n) =>
        Buffer.from(`{"auths":{${many(n, (i) => `"h${i}":{"auth":"YTpi"}`, ',')}}}`),
    },
  }),
  ...casesOf('api/trust/digests.ts readTrustDigests', {
    read: readTrustDigests,
    shapes: { keys: (n) => `{${many(n, (i) => `"k${i}":"v"`, ',')}}` },
  }),
  ...casesOf('api/pinned-images.ts readPinnedDigests', {
    read: readPinnedDigests,
    shapes: { keys: (n) => `{${many(n, (i) => `"k${i}":"v"`, ',')}}` },
  }),
  ...casesOf('api/trust/signer-family.ts signerFamily', {
    read: (text) => [signerFamily(text), commonNameIn(text)],
    shapes: {
      'at signs': runs('@1', 'a', 'x'),
      dashes: runs('-', 'a', 'x'),
      'line ends': runs('\n', '', 'x'),
      'common names': runs('CN=a,'),
    },
  }),
]

const emptyMember = gzipSync('')
