import type { ParserCase } from '@machinist/testing/growth/growth'
import { casesOf, many, runs } from '@machinist/testing/growth/growth'
import { goDuration } from '../../../src/views/certs/validity.ts'
import { addressArgument } from '../../../src/cli/options/listen-argument.ts'
import {
  readMachineConfig,
  readPolicy as readDisruptionPolicy,
} from '../../../src/cli/commands/plan/read-plan-files.ts'
import { parseSize } from '../../../src/devcluster/size/cluster-size.ts'
import { parseProviders } from '../../../src/controllers/credential-providers/provider-file.ts'
import { isPattern, overlaps } from '../../../src/controllers/credential-providers/match-images.ts'
import { payloadOf } from '../../../src/controllers/image-config/registries/payload.ts'
import { readPolicy } from '../../../src/controllers/image-config/signatures/policy-json.ts'
import { readRegistriesConf } from '../../../src/controllers/image-config/registries/registries-conf.ts'
import { scopeProblem, trimmed } from '../../../src/controllers/image-config/model/scopes.ts'
import { signaturePlaces } from '../../../src/controllers/image-config/signatures/sigstore-registries.ts'
import { readGoDuration } from '../../../src/controllers/kubelet-defaults/go-duration.ts'
import { readInput } from '../../../src/fleet/render/read-input.ts'
import { parseBlockers } from '../../../src/fleet/drain/blockers.ts'
import { parseRecord } from '../../../src/fleet/rollout/turns.ts'
import { splitTemplate } from '../../../src/controllers/template/header.ts'
import { readPullSecret } from '../../../src/controllers/template/pull-secret.ts'
import { readTemplatePath } from '../../../src/controllers/template/template-path.ts'
import { readField } from '../../../src/operator/trust/bundles/read-bytes.ts'
import { readConfigMap } from '../../../src/signer/rotation/facts/read-bundle.ts'
import { readHostnames } from '../../../src/fleet/rotation/hostnames.ts'
import {
  parseAddress,
  parseClientAddress,
  parseRange,
} from '../../../src/fleet/network/address-range.ts'
import { readBearer } from '../../../src/fleet/provisioning/bearer.ts'
import { noNewerThan, tokenIn, withToken } from '../../../src/fleet/provisioning/pointer.ts'
import { readRanges, readTokenSecret } from '../../../src/fleet/provisioning/token-secret.ts'
import { readTokenSettings } from '../../../src/fleet/provisioning/token-settings.ts'
import { tokenSecret } from '../../../src/fleet/provisioning/token.fixture.ts'

/** Made once: the garbage collection of new texts would be measured, too. */
const names = Array.from({ length: 2 ** 19 }, (_, i) => `a${i}=b`)

/** Parsers of the operator, controllers, signer and CLI. */
export const clusterCases: readonly ParserCase[] = [
  ...casesOf('operator/trust/bundles/read-bytes.ts readField', {
    read: readField,
    shapes: { base64: runs('QUJD') },
  }),
  ...casesOf('controllers/credential-providers/provider-file.ts parseProviders', {
    read: (text) => parseProviders(text, 'input'),
    shapes: {
      providers: (n) => `providers:\n${many(n, (i) => `- {name: p${i}, matchImages: ["a"]}\n`)}`,
    },
  }),
  ...casesOf('controllers/credential-providers/match-images.ts isPattern', {
    read: (text) => [isPattern(text), overlaps(text, 'a.b/c')],
    shapes: {
      labels: runs('a.', '', 'b'),
      stars: runs('*.', '', 'b'),
      slashes: runs('/', 'a'),
      dashes: runs('-', 'a', 'b'),
    },
  }),
  ...casesOf('controllers/image-config/registries/payload.ts payloadOf', {
    read: payloadOf,
    shapes: {
      colons: runs(':a', 'h/a'),
      letters: runs('a', 'h/'),
      'at signs': runs('@', 'h/a'),
      digest: runs('a', 'h/a@sha256:', '!'),
      slashes: runs('/', 'h'),
    },
  }),
  ...casesOf('controllers/image-config/signatures/policy-json.ts readPolicy', {
    read: readPolicy,
    shapes: {
      scopes: (n) =>
        `{"default":[{"type":"reject"}],"transports":{"docker":{${many(n, (i) => `"h${i}":[{"type":"reject"}]`, ',')}}}}`,
    },
  }),
  ...casesOf('controllers/image-config/registries/registries-conf.ts readRegistriesConf', {
    read: readRegistriesConf,
    shapes: { registries: (n) => many(n, (i) => `[[registry]]\nlocation = "h${i}"\n`) },
  }),
  ...casesOf('controllers/image-config/model/scopes.ts scopeProblem', {
    read: (text) => [scopeProblem(text), trimmed(text)],
    shapes: {
      labels: runs('a.', '', 'b'),
      slashes: runs('/', 'a'),
      dashes: runs('-', 'h/a', '!'),
      underscores: runs('_', 'h/a', '!'),
      colons: runs(':', 'a'),
    },
  }),
  ...casesOf('controllers/image-config/signatures/sigstore-registries.ts signaturePlaces', {
    read: (text) => signaturePlaces([text], [registry]),
    shapes: { colons: runs(':', 'h/a', '/'), letters: runs('a', 'h/') },
  }),
  ...casesOf('controllers/kubelet-defaults/go-duration.ts readGoDuration', {
    read: readGoDuration,
    shapes: { digits: runs('1'), parts: runs('1m'), points: runs('.') },
  }),
  ...casesOf<object>('fleet/render/read-input.ts readInput', {
    read: (spec) => readInput({ metadata: { name: 'a' }, spec }),
    shapes: {
      'kernel arguments': (n) => ({ kernelArguments: names.slice(0, n) }),
      extensions: (n) => ({ extensions: names.slice(0, n) }),
    },
  }),
  ...casesOf('fleet/rollout/turns.ts parseRecord', {
    read: parseRecord,
    shapes: { turns: (n) => `{"turns":{${many(n, (i) => `"n${i}":{"config":"c"}`, ',')}}}` },
  }),
  ...casesOf('fleet/drain/blockers.ts parseBlockers', {
    read: parseBlockers,
    shapes: {
      blockers: runs('a/b: c (since 2026-01-01T00:00:00Z); '),
      'open times': runs('a/b: c (since ', 'a/b: '),
      letters: runs('a', 'a/b: '),
      'prefixes without an end': runs(' is held up by 1 pods', 'x'),
    },
  }),
  ...casesOf('fleet/network/address-range.ts parseRange', {
    read: parseRange,
    shapes: { digits: runs('1', '', '/1'), slashes: runs('/'), colons: runs(':', '', '/1') },
  }),
  ...casesOf('fleet/network/address-range.ts parseAddress', {
    read: parseAddress,
    shapes: { digits: runs('1'), dots: runs('1.'), colons: runs(':') },
  }),
  ...casesOf('fleet/network/address-range.ts parseClientAddress', {
    read: parseClientAddress,
    shapes: { digits: runs('1'), zones: runs('%', '::1'), colons: runs(':') },
  }),
  ...casesOf('fleet/provisioning/bearer.ts readBearer', {
    read: readBearer,
    shapes: {
      blanks: runs(' ', 'Bearer', '!'),
      letters: runs('a', 'Bearer ', '!'),
      padding: runs('=', 'Bearer a', '!'),
    },
  }),
  ...casesOf('fleet/provisioning/pointer.ts tokenIn', {
    read: (text) => [tokenIn(text), withToken(text, 'a'), noNewerThan(text, text)],
    shapes: {
      headers: (n) =>
        `{"ignition":{"config":{"merge":[{"httpHeaders":[${many(n, (i) => `{"name":"h${i}"}`, ',')}]}]}}}`,
      sources: (n) =>
        `{"ignition":{"config":{"merge":[${many(n, (i) => `{"source":"s${i}"}`, ',')}]}}}`,
    },
  }),
  ...casesOf('fleet/provisioning/token-secret.ts readTokenSecret', {
    read: (text) => readTokenSecret(tokenSecret({}, { token: text, previous: text })),
    shapes: { letters: runs('a'), blanks: runs(' ', 'a', 'a'), 'line feeds': runs('\n', 'a') },
  }),
  ...casesOf('fleet/provisioning/token-secret.ts readRanges', {
    read: readRanges,
    shapes: { ranges: runs('10.0.0.0/8,'), commas: runs(','), blanks: runs(' ', '', '10.0.0.0/8') },
  }),
  ...casesOf('fleet/provisioning/token-settings.ts readTokenSettings', {
    read: (text) => readTokenSettings({ 'machinist.dev/provisioning-token-refresh': text }),
    shapes: { digits: runs('1'), parts: runs('1h') },
  }),
  ...casesOf('controllers/template/header.ts splitTemplate', {
    read: (text) => splitTemplate(text, 'file', 'file'),
    shapes: {
      'lines of a header': (n) => `---\n${many(n, (i) => `k${i}: 1\n`)}---\n`,
      marks: runs('---\n'),
      lines: runs('a\n'),
    },
  }),
  ...casesOf('controllers/template/pull-secret.ts readPullSecret', {
    read: (text) =>
      readPullSecret(
        { namespace: 'a', name: 'b' },
        {
          metadata: { name: 'b', namespace: 'a' },
          type: 'kubernetes.io/dockerconfigjson',
          data: { '.dockerconfigjson': Buffer.from(text).toString('base64') },
        },
      ),
    shapes: { registries: (n) => `{"auths":{${many(n, (i) => `"h${i}":{"auth":"YTpi"}`, ',')}}}` },
  }),
  ...casesOf('controllers/template/template-path.ts readTemplatePath', {
    read: readTemplatePath,
    shapes: { slashes: runs('/'), dashes: runs('-a', '00', '!') },
  }),
  ...casesOf('signer/rotation/facts/read-bundle.ts readConfigMap', {
    read: (text) =>
      readConfigMap({ metadata: { name: 'a' }, data: { 'ca-bundle.crt': text } }, true),
    shapes: { beginnings: runs('-----BEGIN CERTIFICATE-----\n') },
  }),
  ...casesOf('fleet/rotation/hostnames.ts readHostnames', {
    read: (text) => readHostnames([text], 'input'),
    shapes: { labels: runs('a.', '', '!'), digits: runs('1.', '', 'x'), colons: runs(':') },
  }),
  ...casesOf<string[]>('fleet/rotation/hostnames.ts readHostnames', {
    read: (texts) => readHostnames(texts, 'input'),
    shapes: { names: (n) => Array.from({ length: n }, (_, i) => `h${i}`) },
  }),
  ...casesOf('cli/commands/plan/read-plan-files.ts readMachineConfig', {
    read: (text) => readMachineConfig(text, 'input'),
    shapes: {
      files: (n) =>
        `kind: MachineConfig\nspec:\n  config:\n    storage:\n      files:\n${many(n, (i) => `      - path: /f${i}\n`)}`,
    },
  }),
  ...casesOf('cli/commands/plan/read-plan-files.ts readPolicy', {
    read: (text) => readDisruptionPolicy(text, 'input'),
    shapes: {
      files: (n) => `files:\n${many(n, (i) => `- {path: /f${i}, actions: [{type: None}]}\n`)}`,
    },
  }),
  ...casesOf('devcluster/size/cluster-size.ts parseSize', {
    read: parseSize,
    shapes: {
      pools: (n) => many(n, (i) => `p${i}=1`, ','),
      commas: runs(','),
      letters: runs('a', '', '=1'),
    },
  }),
  ...casesOf('cli/options/listen-argument.ts addressArgument', {
    read: addressArgument,
    shapes: { colons: runs(':'), letters: runs('a', '', '!'), brackets: runs('[') },
  }),
  ...casesOf('views/certs/validity.ts goDuration', {
    read: goDuration,
    shapes: { digits: runs('1'), parts: runs('1m', '', 'x') },
  }),
]

const registry = {
  prefix: '',
  location: 'h',
  blocked: false,
  insecure: false,
  byDigestOnly: false,
  mirrors: [{ location: 'm', insecure: false, pull: '' }],
}
