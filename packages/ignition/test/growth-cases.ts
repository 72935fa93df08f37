import { gzipSync } from 'node:zlib'
import type { ParserCase } from '@machinist/testing/growth/growth'
import { casesOf, many, runs } from '@machinist/testing/growth/growth'
import type { Config } from '../src/spec/config.ts'
import { contentFacts } from '../src/content-facts.ts'
import { decodeRawConfig } from '../src/content-raw.ts'
import { parseAnyVersion, parseAsWritten } from '../src/convert/parse-any.ts'
import { merge } from '../src/merge.ts'
import { readJson } from '../src/json/json.ts'
import { parseConfig } from '../src/parse/parse.ts'
import { readVersion } from '../src/spec/version.ts'
import { readUnitSyntax } from '../src/validate/unit-syntax.ts'
import { splitUrl } from '../src/validate/urls.ts'

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

const emptyMember = gzipSync('')

export const growthCases: readonly ParserCase[] = [
  ...casesOf('json/json.ts readJson', {
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
  ...casesOf('parse/parse.ts parseConfig', {
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
  ...casesOf('convert/parse-any.ts parseAnyVersion', {
    read: parseAnyVersion,
    shapes: {
      'spec 2': (n) => JSON.stringify(spec2(n)),
      'spec 3': (n) => JSON.stringify(spec3(n)),
    },
  }),
  ...casesOf('convert/parse-any.ts parseAsWritten', {
    read: parseAsWritten,
    shapes: { 'spec 2': (n) => JSON.stringify(spec2(n)) },
  }),
  ...casesOf<Config>('merge.ts merge', {
    read: (config) => merge([config, config]),
    shapes: { 'files and units': spec3 },
  }),
  ...casesOf('validate/unit-syntax.ts readUnitSyntax', {
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
  ...casesOf('validate/urls.ts splitUrl', {
    read: splitUrl,
    shapes: {
      colons: runs(':', 'http'),
      slashes: runs('/', 'http:'),
      'percent signs': runs('%', 'http://h/'),
      users: runs('@', 'http://'),
      letters: runs('a'),
    },
  }),
  ...casesOf('spec/version.ts readVersion', {
    read: readVersion,
    shapes: { zeros: runs('0', '', '3.x'), points: runs('3.') },
  }),
  ...casesOf<Uint8Array>('content-raw.ts decodeRawConfig', {
    read: (raw) => decodeRawConfig(raw),
    shapes: {
      base64: (n) => Buffer.from('QUJD'.repeat(n)),
      'gzip of zeros': (n) => gzipSync(Buffer.alloc(n)),
      'empty members of gzip': (n) => Buffer.concat(numbered(n, () => emptyMember)),
    },
  }),
  ...casesOf('content-facts.ts contentFacts', {
    read: (text) => contentFacts({ source: text, compression: 'gzip' }),
    shapes: {
      'empty members of gzip': (n) =>
        `data:;base64,${Buffer.concat(numbered(n, () => emptyMember)).toString('base64')}`,
    },
  }),
]
