import { canonicalJson, sameJson } from '../../src/base/json.ts'
import { lenientUtf8, isBase64 } from '../../src/base/bytes.ts'
import { decodeDataUrl } from '../../src/base/data-url.ts'
import { objectIdentifier, readElements, tags, wholeBytes } from '../../src/base/der.ts'
import { readDuration } from '../../src/base/duration.ts'
import { parseFieldSelector } from '../../src/base/field-selectors.ts'
import { parseLabelSelector } from '../../src/base/label-selector-text.ts'
import { applyMergePatch, mergePatchBetween } from '../../src/base/merge-patch.ts'
import { readPem } from '../../src/base/pem.ts'
import { readPkcs10 } from '../../src/base/pkcs10.ts'
import { quantityValue } from '../../src/base/quantity.ts'
import { quoted } from '../../src/base/quoted.ts'
import { isLabelKey, isLabelValue } from '../../src/base/selectors.ts'
import { parseToml } from '../../src/base/toml.ts'
import { parseYaml, parseYamlDocuments, toYaml } from '../../src/base/yaml.ts'
import type { ParserCase } from './growth.ts'
import { casesOf, many, runs } from './growth.ts'

const keysOf = (n: number): Record<string, number> =>
  Object.fromEntries(Array.from({ length: n }, (_, i) => [`k${i}`, i]))

export const baseCases: readonly ParserCase[] = [
  ...casesOf('base/yaml.ts parseYaml', {
    read: (text) => parseYaml(text, 'input'),
    // Below a thousand keys the rest of the work hides the comparing of keys.
    from: 1024,
    shapes: {
      'keys of one map': (n) => many(n, (i) => `k${i}: 1\n`),
      'keys in braces': (n) => `{${many(n, (i) => `k${i}: 1`, ',')}}`,
      'anchors and aliases': (n) => many(n, (i) => `- &a${i} 1\n- *a${i}\n`),
    },
  }),
  ...casesOf('base/yaml.ts parseYaml', {
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
  ...casesOf('base/yaml.ts parseYamlDocuments', {
    read: (text) => parseYamlDocuments(text, 'input'),
    shapes: { 'empty documents': runs('---\n'), directives: runs('%a\n') },
  }),
  ...casesOf<object>('base/yaml.ts toYaml', {
    read: toYaml,
    shapes: {
      keys: keysOf,
      'lines of a text': (n) => ({ a: 'x \n'.repeat(n) }),
      'blanks of a text': (n) => ({ a: `x${' '.repeat(n)}#` }),
    },
  }),
  ...casesOf('base/toml.ts parseToml', {
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
  ...casesOf('base/data-url.ts decodeDataUrl', {
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
  ...casesOf('base/pem.ts readPem', {
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
  ...casesOf<Uint8Array>('base/der.ts readElements', {
    read: readElements,
    shapes: { 'empty elements': (n) => Buffer.alloc(2 * n, Buffer.from([tags.sequence, 0])) },
  }),
  ...casesOf<Uint8Array>('base/der.ts objectIdentifier', {
    read: (content) => objectIdentifier({ tag: tags.objectIdentifier, content, whole: content }),
    shapes: {
      'one long number': (n) => Buffer.alloc(n, 0xff),
      'small numbers': (n) => Buffer.alloc(n, 1),
    },
  }),
  ...casesOf<Uint8Array>('base/der.ts wholeBytes', {
    read: (content) => wholeBytes({ tag: tags.bitString, content, whole: content }),
    shapes: { zeros: (n) => Buffer.alloc(n) },
  }),
  ...casesOf<Uint8Array>('base/pkcs10.ts readPkcs10', {
    read: readPkcs10,
    shapes: {
      'open sequences': (n) => Buffer.alloc(2 * n, Buffer.from([0x30, 0x80])),
      zeros: (n) => Buffer.alloc(n),
    },
  }),
  ...casesOf('base/label-selector-text.ts parseLabelSelector', {
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
  ...casesOf('base/field-selectors.ts parseFieldSelector', {
    read: parseFieldSelector,
    shapes: {
      terms: (n) => many(n, (i) => `k${i}=v`, ','),
      backslashes: runs('\\', 'a='),
      commas: runs(','),
      'no operator': runs('!'),
    },
  }),
  ...casesOf('base/selectors.ts isLabelKey', {
    read: (text) => [isLabelKey(text), isLabelValue(text)],
    shapes: { dots: runs('a.', '', '!'), dashes: runs('-', 'a') },
  }),
  ...casesOf('base/quantity.ts quantityValue', {
    read: quantityValue,
    shapes: { digits: runs('1', '', 'x'), points: runs('.') },
  }),
  ...casesOf('base/duration.ts readDuration', {
    read: readDuration,
    shapes: { digits: runs('1'), parts: runs('1h') },
  }),
  ...casesOf('base/quoted.ts quoted', {
    read: quoted,
    shapes: { 'control characters': runs('\u0001'), letters: runs('a') },
  }),
  ...casesOf('base/bytes.ts isBase64', {
    read: isBase64,
    shapes: { 'a bad end': runs('AAAA', '', '!AAA'), padding: runs('====') },
  }),
  ...casesOf<Uint8Array>('base/bytes.ts lenientUtf8', {
    read: lenientUtf8,
    shapes: { 'broken sequences': (n) => Buffer.alloc(n, 0xff) },
  }),
  ...casesOf<object>('base/json.ts sameJson', {
    read: (value) => sameJson(value, structuredClone(value)),
    shapes: { keys: keysOf },
  }),
  ...casesOf<object>('base/json.ts canonicalJson', {
    read: canonicalJson,
    shapes: { keys: keysOf },
  }),
  ...casesOf<object>('base/merge-patch.ts applyMergePatch', {
    read: (value) => applyMergePatch(value, mergePatchBetween({}, value)),
    shapes: { keys: keysOf },
  }),
]
