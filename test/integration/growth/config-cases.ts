import type { Config } from '@machinist/ignition/spec/config'
import type { ParserCase } from '@machinist/testing/growth/growth'
import { casesOf, many, runs } from '@machinist/testing/growth/growth'
import { readPinnedDigests } from '../../../src/api/pinned-images.ts'
import { readTrustDigests } from '../../../src/api/trust/digests.ts'
import { readLogins } from '../../../src/api/trust/registry-logins.ts'
import { commonNameIn, signerFamily } from '../../../src/api/trust/signer-family.ts'
import { kernelWords } from '../../../src/planner/differences/kernel-arguments.ts'
import { plan } from '../../../src/planner/plan.ts'
import { closestRule } from '../../../src/api/disruption-policy/match.ts'
import { decodeProvenance } from '../../../src/planner/provenance/provenance.ts'
import { registriesDanger } from '../../../src/planner/actions/registries.ts'
import { defaultRules, facts, machineConfig } from '../../../src/planner/configs.fixture.ts'

const numbered = <T>(n: number, one: (i: number) => T): T[] =>
  Array.from({ length: n }, (_, i) => one(i))

const spec3 = (n: number): Config => ({
  ignition: { version: '3.5.0' },
  storage: { files: numbered(n, (i) => ({ path: `/f${i}`, contents: { source: 'data:,x' } })) },
  systemd: { units: numbered(n, (i) => ({ name: `u${i}.service`, contents: '[Unit]\n' })) },
})

/** Parsers of the API types and the planner. */
export const configCases: readonly ParserCase[] = [
  ...casesOf('planner/differences/kernel-arguments.ts kernelWords', {
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
  ...casesOf('planner/provenance/provenance.ts decodeProvenance', {
    read: decodeProvenance,
    shapes: { letters: runs('A', '1:') },
  }),
  ...casesOf('planner/actions/registries.ts registriesDanger', {
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
