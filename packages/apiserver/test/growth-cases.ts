import type { ParserCase } from '@machinist/testing/growth/growth'
import { casesOf, many, runs } from '@machinist/testing/growth/growth'
import { splitResource } from '../src/admission/policies/rule-matching.ts'
import { bearerToken } from '../src/authentication/bearer-token.ts'
import { readJwt } from '../src/authentication/jwt.ts'
import { readTokenFile } from '../src/authentication/static-tokens.ts'
import { urlMatches } from '../src/authorization/rule-matching.ts'
import { readJson } from '../src/http/messages/json-scan.ts'
import { parseAccept } from '../src/http/messages/media-types.ts'
import { requestInfo } from '../src/http/messages/request-info.ts'
import { sentPatch } from '../src/http/messages/sent-body.ts'
import { readSigningRequest } from '../src/kinds/certificates/signing-request.ts'
import { applyConfiguration } from '../src/patch/apply/apply-configuration.ts'
import { readElement } from '../src/patch/apply/path-element.ts'
import { readFields } from '../src/patch/apply/fields-v1.ts'
import { applyJsonPatch } from '../src/patch/json-patch.ts'
import { applyStrategicMergePatch } from '../src/patch/strategic/strategic-merge.ts'
import { decodeProtobuf } from '../src/protobuf/decode-protobuf.ts'
import { base64Problem, quantityProblem } from '../src/protobuf/go-scalars.ts'
import { timeProblem } from '../src/protobuf/go-time.ts'
import { newBudget } from '../src/cel/budget.ts'
import { compileExpression } from '../src/cel/cel.ts'
import { duplicates } from '../src/schema/list-types.ts'
import { hasFormat } from '../src/schema/structure/formats.ts'
import { compilePattern } from '../src/schema/structure/pattern.ts'
import { prune } from '../src/schema/prune.ts'
import { schemaProblems } from '../src/schema/validate.ts'
import { parseJsonPath } from '../src/table/json-path.ts'
import { labelValueProblems, nameProblems, qualifiedNameProblems } from '../src/objects/names.ts'
import { decodeContinue } from '../src/watch/continue-token.ts'
import { parseResourceVersion } from '../src/watch/resource-version.ts'
import { kindOf } from './patch/replay.ts'

const numbered = <T>(n: number, one: (i: number) => T): T[] =>
  Array.from({ length: n }, (_, i) => one(i))
const keysOf = (n: number): Record<string, string> =>
  Object.fromEntries(numbered(n, (i) => [`k${i}`, 'v']))
const configMap = (n: number): Record<string, unknown> => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'x' },
  data: keysOf(n),
})
const podWith = (n: number): Record<string, unknown> => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'x' },
  spec: { containers: numbered(n, (i) => ({ name: `c${i}`, image: 'i' })) },
})
const writing = (kind: string): Parameters<typeof applyConfiguration>[2] => ({
  kind: kindOf(kind),
  manager: 'me',
  now: 0,
})

/** The protobuf envelope: type, then object. */
const protobuf = (raw: Buffer): Buffer => {
  const bytes = (number: number, content: Buffer): Buffer =>
    Buffer.concat([Buffer.from([(number << 3) | 2]), varint(content.length), content])
  const type = Buffer.concat([bytes(1, Buffer.from('v1')), bytes(2, Buffer.from('ConfigMap'))])
  return Buffer.concat([Buffer.from('k8s\0'), bytes(1, type), bytes(2, raw)])
}
const varint = (value: number): Buffer => {
  const digits: number[] = []
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...digits, rest])
    digits.push((rest % 128) | 128)
  }
}

const formats = ['date-time', 'byte', 'uuid', 'uri', 'email', 'hostname', 'ipv6', 'cidr', 'mac']
const formatShapes = {
  digits: runs('1'),
  'letters and dots': runs('a.', '', '!'),
  dashes: runs('a-', '', '!'),
  blanks: runs(' ', '1', '!'),
  colons: runs('1:', '', 'x'),
  'parts of a duration': runs('1m', '', 'x'),
}

const cel = (expression: string): ((self: unknown) => unknown) => {
  const compiled = compileExpression(expression, ['self'])
  return (self) => compiled.evaluate({ self }, newBudget())
}

export const growthCases: readonly ParserCase[] = [
  ...casesOf('http/messages/request-info.ts requestInfo', {
    read: (path) => requestInfo('GET', path),
    shapes: {
      'slashes inside': runs('/', '/x', 'x'),
      'slashes around': runs('/'),
      names: runs('a/', '/api/v1/'),
    },
  }),
  ...casesOf('http/messages/json-scan.ts readJson', {
    read: readJson,
    shapes: {
      'duplicate keys under a long key': (n) => `{"${'k'.repeat(n)}":{${'"a":1,'.repeat(n)}"a":1}}`,
      'objects with duplicates under one key': (n) =>
        `{${many(n, () => '"x":{"a":1,"a":1}', ',')}}`,
      'different keys': (n) => `{${many(n, (i) => `"k${i}":1`, ',')}}`,
      'open brackets': runs('['),
      'a text without end': runs('a', '"'),
      escapes: runs('\\u0041', '"', '"'),
      digits: runs('1', '[', ']'),
      'halves of characters': runs('\\ud800', '"', '"'),
    },
  }),
  ...casesOf<Buffer>('http/messages/sent-body.ts sentPatch', {
    read: (body) => sentPatch('application/apply-patch+yaml', body),
    shapes: { 'keys of an apply': (n) => Buffer.from(JSON.stringify(configMap(n))) },
  }),
  ...casesOf('http/messages/media-types.ts parseAccept', {
    read: parseAccept,
    shapes: {
      entries: (n) => many(n, (i) => `a/b;q=0.${i}`, ','),
      semicolons: runs(';'),
      quotes: runs('"', 'a/b;c='),
      blanks: runs(' ', 'a', 'b'),
    },
  }),
  ...casesOf('schema/structure/formats.ts hasFormat duration', {
    read: (text) => hasFormat('duration', text),
    shapes: formatShapes,
  }),
  ...casesOf('schema/structure/formats.ts hasFormat all others', {
    read: (text) => formats.map((format) => hasFormat(format, text)),
    shapes: formatShapes,
  }),
  ...casesOf('schema/structure/pattern.ts compilePattern', {
    read: (text) => compilePattern('^(a+)+$').test(text),
    shapes: { 'what nested repetitions find slow': runs('a', '', '!') },
  }),
  ...casesOf<unknown>('schema/validate.ts schemaProblems', {
    read: (value) => {
      const schema = {
        type: 'object',
        additionalProperties: { type: 'string', maxLength: 1 },
      } as const
      return schemaProblems(schema, value, undefined, { path: '', prefix: '' })
    },
    shapes: { keys: keysOf },
  }),
  ...casesOf<unknown[]>('schema/list-types.ts duplicates', {
    read: (value) =>
      duplicates(
        { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
        value,
      ),
    shapes: {
      items: (n) => numbered(n, (i) => `v${i}`),
      'equal items': (n) => numbered(n, () => 'v'),
    },
  }),
  ...casesOf<Record<string, unknown>>('schema/prune.ts prune', {
    read: (value) => prune({ type: 'object', properties: {} }, value),
    shapes: { 'unknown keys': keysOf },
  }),
  ...casesOf('cel/cel.ts compileExpression', {
    read: (text) => compileExpression(text, ['self']),
    shapes: {
      sums: runs('1 + ', '', '1'),
      brackets: runs('('),
      'a long text': runs('a', "'", "'"),
      blanks: runs(' ', '1', '+'),
      fields: runs('.a', 'self'),
    },
  }),
  ...casesOf('cel/cel.ts functions of texts', {
    read: cel(
      "url(self).getQuery() == {} || isURL(self) || isQuantity(self) || isIP(self) || isCIDR(self) || self.matches('^(a+)+$') || self.split('a').size() > 0 || self.find('b+$') == '' || self.replace('a', 'b') == ''",
    ),
    shapes: {
      parameters: runs('a&', 'https://x/?'),
      letters: runs('a'),
      digits: runs('1', '', 'x'),
      colons: runs(':'),
    },
  }),
  ...casesOf('table/json-path.ts parseJsonPath', {
    read: parseJsonPath,
    shapes: {
      fields: runs('.a'),
      brackets: runs('[', '.a'),
      filters: runs('[?(@.a=="b")]', '.a'),
      operators: runs('=', '.a[?(@.a', ')]'),
      backslashes: runs('\\', '.a'),
      digits: runs('1', '.a[', ']'),
    },
  }),
  ...casesOf<unknown>('patch/json-patch.ts applyJsonPatch', {
    read: (patch) => applyJsonPatch({ list: [] }, patch),
    shapes: {
      'steps of a path': (n) => [{ op: 'add', path: '/a'.repeat(n), value: 1 }],
      'added items': (n) =>
        numbered(Math.min(n, 9000), () => ({ op: 'add', path: '/list/0', value: 1 })),
    },
  }),
  ...casesOf<Record<string, unknown>>(
    'patch/strategic/strategic-merge.ts applyStrategicMergePatch',
    {
      read: (pod) => applyStrategicMergePatch(pod, pod, kindOf('Pod')),
      from: 256,
      shapes: { containers: podWith },
    },
  ),
  ...casesOf<Record<string, unknown>>('patch/apply/apply-configuration.ts applyConfiguration', {
    read: (object) =>
      applyConfiguration(
        applyConfiguration(undefined, object, writing('ConfigMap')),
        object,
        writing('ConfigMap'),
      ),
    from: 256,
    shapes: { keys: configMap },
  }),
  ...casesOf<Record<string, unknown>>('patch/apply/apply-configuration.ts applyConfiguration', {
    read: (object) =>
      applyConfiguration(
        applyConfiguration(undefined, object, writing('Pod')),
        object,
        writing('Pod'),
      ),
    from: 256,
    shapes: { containers: podWith },
  }),
  ...casesOf<unknown>('patch/apply/fields-v1.ts readFields', {
    read: readFields,
    shapes: { fields: (n) => Object.fromEntries(numbered(n, (i) => [`f:k${i}`, {}])) },
  }),
  ...casesOf('patch/apply/path-element.ts readElement', {
    read: readElement,
    shapes: {
      'keys of an item': (n) => `k:{${many(n, (i) => `"a${i}":1`, ',')}}`,
      digits: runs('1', 'i:'),
    },
  }),
  ...casesOf<Buffer>('protobuf/decode-protobuf.ts decodeProtobuf', {
    read: decodeProtobuf,
    shapes: {
      'entries of a map': (n) =>
        protobuf(
          Buffer.concat(
            numbered(n, (i) => {
              const key = Buffer.from(`k${i}`)
              const entry = Buffer.concat([
                Buffer.from([10, key.length]),
                key,
                Buffer.from([18, 1, 97]),
              ])
              return Buffer.concat([Buffer.from([18, entry.length]), entry])
            }),
          ),
        ),
      'unknown fields': (n) => protobuf(Buffer.alloc(2 * n, Buffer.from([0x78, 1]))),
      'a number without end': (n) => protobuf(Buffer.alloc(n, 0xff)),
    },
  }),
  ...casesOf('protobuf/go-scalars.ts quantityProblem', {
    read: quantityProblem,
    shapes: { digits: runs('1', '', 'x'), points: runs('1.'), letters: runs('E', '1', '!') },
  }),
  ...casesOf('protobuf/go-scalars.ts base64Problem', {
    read: base64Problem,
    shapes: { 'line ends': runs('\n', 'AAAA', '!'), padding: runs('=', 'AAAA') },
  }),
  ...casesOf('protobuf/go-time.ts timeProblem', {
    read: (text) => timeProblem(text, false),
    shapes: { digits: runs('1', '2026-01-01T00:00:00.'), dashes: runs('-', '2026') },
  }),
  ...casesOf('authentication/jwt.ts readJwt', {
    read: readJwt,
    shapes: { dots: runs('.'), 'a long part': runs('A', 'a.', '.a') },
  }),
  ...casesOf('authentication/bearer-token.ts bearerToken', {
    read: (text) => bearerToken({ authorization: [text] }),
    shapes: { blanks: runs(' ', 'Bearer', 'x'), letters: runs('a', 'Bearer ') },
  }),
  ...casesOf('authentication/static-tokens.ts readTokenFile', {
    read: readTokenFile,
    shapes: {
      lines: (n) => many(n, (i) => `t${i},u,u,"g"\n`),
      quotes: runs('"', 'a,b,c,'),
      commas: runs(','),
    },
  }),
  ...casesOf('authorization/rule-matching.ts urlMatches', {
    read: (pattern) => urlMatches(pattern, '/healthz'),
    shapes: { stars: runs('*', '/', 'x*') },
  }),
  ...casesOf('admission/policies/rule-matching.ts splitResource', {
    read: splitResource,
    shapes: { slashes: runs('/') },
  }),
  ...casesOf('objects/names.ts nameProblems', {
    read: (text) => [nameProblems(text), qualifiedNameProblems(text), labelValueProblems(text)],
    shapes: { 'letters and dots': runs('a.', '', '!'), dashes: runs('-', 'a'), slashes: runs('/') },
  }),
  ...casesOf('watch/continue-token.ts decodeContinue', {
    read: decodeContinue,
    shapes: { letters: runs('A') },
  }),
  ...casesOf('watch/resource-version.ts parseResourceVersion', {
    read: parseResourceVersion,
    shapes: { digits: runs('1'), zeros: runs('0') },
  }),
  ...casesOf('kinds/certificates/signing-request.ts readSigningRequest', {
    read: readSigningRequest,
    shapes: { beginnings: runs('-----BEGIN CERTIFICATE REQUEST-----\n') },
  }),
]
