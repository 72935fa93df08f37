import type { ParserCase } from '@machinist/testing/growth/growth'
import { casesOf, many, runs } from '@machinist/testing/growth/growth'
import { canonicalJson, sameJson } from '../src/encoding/json.ts'
import { lenientUtf8, isBase64 } from '../src/encoding/bytes.ts'
import { decodeDataUrl } from '../src/encoding/data-url.ts'
import { objectIdentifier, readElements, tags, wholeBytes } from '../src/encoding/der.ts'
import { readDuration } from '../src/duration.ts'
import { parseFieldSelector } from '../src/objects/field-selectors.ts'
import { parseLabelSelector } from '../src/objects/label-selector-text.ts'
import { applyMergePatch, mergePatchBetween } from '../src/objects/merge-patch.ts'
import { readPem } from '../src/encoding/pem.ts'
import { readPkcs10 } from '../src/encoding/pkcs10.ts'
import { quantityValue } from '../src/objects/quantity.ts'
import { readTimestamp } from '../src/timestamp.ts'
import { quoted } from '../src/quoted.ts'
import { isLabelKey, isLabelValue } from '../src/objects/selectors.ts'
import { parseToml } from '../src/encoding/toml.ts'
import { parseYaml, parseYamlDocuments, toYaml } from '../src/encoding/yaml.ts'

const keysOf = (n: number): Record<string, number> =>
  Object.fromEntries(Array.from({ length: n }, (_, i) => [`k${i}`, i]))

export const growthCases: readonly ParserCase[] = [
  ...casesOf('encoding/yaml.ts parseYaml', {
    read: (text) => parseYaml(text, 'input'),
    // With fewer keys, other work hides the cost of comparing keys.
    from: 1024,
    shapes: {
      'keys of one map': (n) => many(n, (i) => `k${i}: 1\n`),
      'keys in braces': (n) => `{${many(n, (i) => `k${i}: 1`, ',')}}`,
      'anchors and aliases': (n) => many(n, (i) => `- &a${i} 1\n- *a${i}\n`),
    },
  }),
  ...casesOf('encoding/yaml.ts parseYaml', {
    read: (text) => parseYaml(text, 'input'),
    shapes: {
      'merged maps': runs(' <<: *a\n', 'a: &a {b: 1}\nc:\n'),
      'open brackets': runs('['),
      'dashes in a line': runs('- '),
      mistakes: runs('{}'),
      'carriage returns': runs('\r', 'a: ', 'x'),
      'blanks in quotes': runs(' ', '"', 'x"'),
      'folded lines': runs('a \n', '"', '"'),
      'digits and underscores': runs('1_', '', 'x'),
    },
  }),
  ...casesOf('encoding/yaml.ts parseYamlDocuments', {
    read: (text) => parseYamlDocuments(text, 'input'),
    shapes: { 'empty documents': runs('---\n'), directives: runs('%a\n') },
  }),
  ...casesOf<object>('encoding/yaml.ts toYaml', {
    read: toYaml,
    shapes: {
      keys: keysOf,
      'lines of a text': (n) => ({ a: 'x \n'.repeat(n) }),
      'blanks of a text': (n) => ({ a: `x${' '.repeat(n)}#` }),
    },
  }),
  ...casesOf('encoding/toml.ts parseToml', {
    read: parseToml,
    shapes: {
      'keys of one table': (n) => many(n, (i) => `k${i} = 1\n`),
      tables: (n) => many(n, (i) => `[t${i}]\n`),
      'items of a list of tables': runs('[[a]]\n'),
      'dotted keys': (n) => `${many(n, () => 'a', '.')} = 1`,
      'open brackets': runs('[', 'a = '),
      'a long text': runs('x', 'a = "'),
      quotes: runs('"', 'a = """'),
      blanks: runs(' ', 'a =', 'b'),
      comments: runs('#\n'),
    },
  }),
  ...casesOf('encoding/data-url.ts decodeDataUrl', {
    read: decodeDataUrl,
    shapes: {
      parameters: runs(';a=b', 'data:text/plain', ',x'),
      semicolons: runs(';', 'data:', ',x'),
      'percent signs': runs('%41', 'data:,'),
      'broken percent signs': runs('%', 'data:,'),
      base64: runs('QUJD', 'data:;base64,'),
      'broken base64': runs('Q', 'data:;base64,', '!'),
    },
  }),
  ...casesOf('encoding/pem.ts readPem', {
    read: readPem,
    shapes: {
      beginnings: runs('-----BEGIN CERTIFICATE-----\n'),
      dashes: runs('-'),
      'empty blocks': runs('-----BEGIN A-----\n-----END A-----\n'),
      'lines of a block': runs('QUJD\n', '-----BEGIN A-----\n', '-----END A-----\n'),
      blanks: runs(' ', '-----BEGIN A-----', '-----'),
      headers: runs('a: b\n', '-----BEGIN A-----\n'),
    },
  }),
  ...casesOf<Uint8Array>('encoding/der.ts readElements', {
    read: readElements,
    shapes: { 'empty elements': (n) => Buffer.alloc(2 * n, Buffer.from([tags.sequence, 0])) },
  }),
  ...casesOf<Uint8Array>('encoding/der.ts objectIdentifier', {
    read: (content) => objectIdentifier({ tag: tags.objectIdentifier, content, whole: content }),
    shapes: {
      'one long number': (n) => Buffer.alloc(n, 0xff),
      'small numbers': (n) => Buffer.alloc(n, 1),
    },
  }),
  ...casesOf<Uint8Array>('encoding/der.ts wholeBytes', {
    read: (content) => wholeBytes({ tag: tags.bitString, content, whole: content }),
    shapes: { zeros: (n) => Buffer.alloc(n) },
  }),
  ...casesOf<Uint8Array>('encoding/pkcs10.ts readPkcs10', {
    read: readPkcs10,
    shapes: {
      'open sequences': (n) => Buffer.alloc(2 * n, Buffer.from([0x30, 0x80])),
      zeros: (n) => Buffer.alloc(n),
    },
  }),
  ...casesOf('objects/label-selector-text.ts parseLabelSelector', {
    read: (text) => parseLabelSelector(text),
    shapes: {
      requirements: (n) => many(n, (i) => `k${i}=v`, ','),
      values: (n) => `a in (${many(n, (i) => `v${i}`, ',')})`,
      commas: runs(','),
      blanks: runs(' ', 'a', 'b'),
      brackets: runs('(', 'a in '),
      exclamations: runs('!'),
    },
  }),
  ...casesOf('objects/field-selectors.ts parseFieldSelector', {
    read: parseFieldSelector,
    shapes: {
      terms: (n) => many(n, (i) => `k${i}=v`, ','),
      backslashes: runs('\\', 'a='),
      commas: runs(','),
      'no operator': runs('!'),
    },
  }),
  ...casesOf('objects/selectors.ts isLabelKey', {
    read: (text) => [isLabelKey(text), isLabelValue(text)],
    shapes: { dots: runs('a.', '', '!'), dashes: runs('-', 'a') },
  }),
  ...casesOf('objects/quantity.ts quantityValue', {
    read: quantityValue,
    shapes: { digits: runs('1', '', 'x'), points: runs('.') },
  }),
  ...casesOf('duration.ts readDuration', {
    read: readDuration,
    shapes: { digits: runs('1'), parts: runs('1h') },
  }),
  ...casesOf('timestamp.ts readTimestamp', {
    read: readTimestamp,
    shapes: { digits: runs('1', '2026-01-01T00:00:00.'), zones: runs('Z') },
  }),
  ...casesOf('quoted.ts quoted', {
    read: quoted,
    shapes: { 'control characters': runs('\u0001'), letters: runs('a') },
  }),
  ...casesOf('encoding/bytes.ts isBase64', {
    read: isBase64,
    shapes: { 'a bad end': runs('AAAA', '', '!AAA'), padding: runs('====') },
  }),
  ...casesOf<Uint8Array>('encoding/bytes.ts lenientUtf8', {
    read: lenientUtf8,
    shapes: { 'broken sequences': (n) => Buffer.alloc(n, 0xff) },
  }),
  ...casesOf<object>('encoding/json.ts sameJson', {
    read: (value) => sameJson(value, structuredClone(value)),
    shapes: { keys: keysOf },
  }),
  ...casesOf<object>('encoding/json.ts canonicalJson', {
    read: canonicalJson,
    shapes: { keys: keysOf },
  }),
  ...casesOf<object>('objects/merge-patch.ts applyMergePatch', {
    read: (value) => applyMergePatch(value, mergePatchBetween({}, value)),
    shapes: { keys: keysOf },
  }),
]
