import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  cycles,
  emptyFileNames,
  folderCycles,
  importsOfFixtures,
  largeFolders,
  packagesWithManySites,
  slowPatterns,
  strayCapabilities,
  unorderedImports,
  wrongDirections,
} from './check.ts'
import { packages, rooms } from './rules.ts'
import { parseSource, readSources } from './source.ts'

const root = join(import.meta.dirname, '../..')

describe('the source tree', () => {
  const sources = readSources(root)

  it('has just the rooms and packages of the plan, each with a README at its door', () => {
    const inside = { src: rooms, packages: { ...packages, testing: [] } }
    for (const [folder, plan] of Object.entries(inside)) {
      const found = readdirSync(join(root, folder)).sort()
      expect(found).toEqual(Object.keys(plan).sort())
      expect(found.filter((name) => !existsSync(join(root, folder, name, 'README.md')))).toEqual([])
    }
  })

  it('imports only in the directions of the plan', () => {
    expect(wrongDirections(sources)).toEqual([])
  })

  it('imports nothing that is for tests', () => {
    expect(importsOfFixtures(sources)).toEqual([])
  })

  it('has no import cycles', () => {
    expect(cycles(sources)).toEqual([])
  })

  it('has no cycles between folders', () => {
    expect(folderCycles(sources)).toEqual([])
  })

  it('has no folder with more files than a reader can take in', () => {
    expect(largeFolders(sources)).toEqual([])
  })

  it('imports every third-party package in one file only', () => {
    expect(packagesWithManySites(sources)).toEqual([])
  })

  it('touches disk, processes, network, time, randomness and environment only in their rooms', () => {
    expect(strayCapabilities(sources)).toEqual([])
  })

  it('has no regular expression that takes quadratic time', () => {
    expect(slowPatterns(sources)).toEqual([])
  })

  it('imports Node first, then packages, other folders and the own folder', () => {
    expect(unorderedImports(sources)).toEqual([])
  })

  it('has no file with an empty name', () => {
    expect(emptyFileNames(sources)).toEqual([])
  })
})

describe('the boundary checks themselves', () => {
  it('see an import against the plan, also of a type, also a lazy one', () => {
    const sources = [
      parseSource('api/a.ts', `import type { X } from '../planner/x.ts'`),
      parseSource('api/b.ts', `const x = await import('@machinist/kube/x')`),
      parseSource('api/c.ts', `export * from '@machinist/core/x'`),
      parseSource('api/d.ts', `type X = import('@machinist/kube/informer/x').X`),
    ]
    expect(wrongDirections(sources)).toEqual([
      'api/a.ts imports planner/x.ts: api may import core',
      'api/b.ts imports kube/x.ts: api may import core',
      'api/d.ts imports kube/informer/x.ts: api may import core',
    ])
  })

  it('see a way around the doors', () => {
    const paths = ['../../test/x.ts', '../../packages/kube/src/x.ts']
    const sources = paths.map((path) => parseSource('cli/a.ts', `import '${path}'`))
    expect(wrongDirections(sources)).toHaveLength(2)
  })

  it('see what is for tests', () => {
    const text = `import './x.fixture.ts'; import '@machinist/testing/until'; import './y.ts'`
    expect(importsOfFixtures([parseSource('cli/a.ts', text)])).toEqual([
      'cli/a.ts imports cli/x.fixture.ts, which is for tests',
      'cli/a.ts imports testing/until.ts, which is for tests',
    ])
  })

  it('see a cycle, unless it is one of types only', () => {
    const sources = [
      parseSource('kube/a.ts', `import './b.ts'`),
      parseSource('kube/b.ts', `import './c.ts'`),
      parseSource('kube/c.ts', `import './a.ts'; import type { D } from './d.ts'`),
      parseSource('kube/d.ts', `import './c.ts'`),
    ]
    expect(cycles(sources)).toEqual(['kube/a.ts → kube/b.ts → kube/c.ts → kube/a.ts'])
  })

  it('see folders that import each other, also types only', () => {
    const sources = [
      parseSource('kube/a/x.ts', `import '../b/x.ts'`),
      parseSource('kube/b/x.ts', `import '../c/x.ts'`),
      parseSource('kube/c/x.ts', `import type { Y } from '../a/y.ts'`),
      parseSource('kube/a/y.ts', `import './x.ts'; import '@machinist/core/x'`),
      parseSource('kube/d/x.ts', `import '../a/x.ts'`),
    ]
    expect(folderCycles(sources)).toEqual(['kube/a, kube/b, kube/c import each other'])
  })

  it('see imports in another order', () => {
    const ordered = `import 'node:fs'; import 'yaml'; import '../a.ts'; import './b.ts'`
    const mixed = `import '../a.ts'; import '@machinist/core/x'; import './b.ts'`
    const sources = [parseSource('cli/a.ts', ordered), parseSource('cli/b.ts', mixed)]
    expect(unorderedImports(sources)).toEqual(['cli/b.ts imports @machinist/core/x after ../a.ts'])
  })

  it('see a folder with too many files', () => {
    const sources = Array.from({ length: 23 }, (_, i) => parseSource(`kube/a/x${i}.ts`, ''))
    expect(largeFolders(sources)).toEqual(['kube/a has 23 files: split it by topic'])
    expect(largeFolders(sources.slice(1))).toEqual([])
  })

  it('see a package imported twice, but not one imported once', () => {
    const sources = [
      parseSource('core/a.ts', `import { parse } from 'yaml'`),
      parseSource('core/b.ts', `import { x } from 'yaml/deep'; import y from '@scope/one'`),
    ]
    expect(packagesWithManySites(sources)).toEqual([
      'yaml is imported by core/a.ts and core/b.ts: give it one file that the others import',
    ])
  })

  it.each([
    [`import { readFile } from 'node:fs/promises'`, 'the file system'],
    [`const fs = process.getBuiltinModule('node:fs')`, 'the file system'],
    [`import { execFile } from 'node:child_process'`, 'processes'],
    [`import https from 'node:https'`, 'the network'],
    [`const t = Date.now()`, 'time'],
    [`const t = new Date()`, 'time'],
    [`setTimeout(() => {}, 1)`, 'time'],
    [`const r = Math.random()`, 'randomness'],
    [`const home = process.env['HOME']`, 'the environment'],
  ])('see %s in a pure room', (text, what) => {
    const found = strayCapabilities([parseSource('planner/a.ts', text)])
    expect(found).toHaveLength(1)
    expect(found[0]).toContain(`touches ${what} `)
  })

  it('let each capability live at home, and are not fooled by comments and strings', () => {
    const sources = [
      parseSource('daemon/host/linux.ts', `import 'node:fs'`),
      parseSource('core/clock.ts', `Date.now()`),
      parseSource('cli/main.ts', `process.exit(1)`),
      parseSource(
        'planner/a.ts',
        `/* Date.now() */ const text = 'process.env'; const d = new Date(text)`,
      ),
    ]
    expect(strayCapabilities(sources)).toEqual([])
  })

  it.each([
    ['/(a+)*b/', 'nested repetitions'],
    ['/^(?:\\d*\\.?)+$/', 'nested repetitions'],
    ['/^\\d+\\.?\\d*$/', 'side by side'],
    ['/^[+-]?\\d*(?:\\.\\d*)?([eE]*[-+]?\\d*)$/', 'side by side'],
    ['/\\/+$/', 'from anywhere'],
    ['/^\\/+|\\/+$/g', 'from anywhere'],
    ['/\\s*\\n\\s*/g', 'from anywhere'],
    ['/(\\d+)([hms])/g', 'from anywhere'],
    ['/@|:[^/]*$/', 'from anywhere'],
    ['/(?:^|[,\\n])\\s*CN=/g', 'from anywhere'],
    ["new RegExp('x+$', 'm')", 'from anywhere'],
  ])('see that %s is slow', (text, why) => {
    const found = slowPatterns([parseSource('core/a.ts', `const pattern = ${text}`)])
    expect(found).toEqual([expect.stringContaining(why)])
  })

  it.each([
    '/\\s+/g',
    '/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/',
    '/"(?:[^"\\\\]|\\\\.)*"/',
    '/-----BEGIN [A-Z ]*KEY-----/',
    '/(\\d+)([hms])/gy',
    '/:(\\d*)$/',
    '/\\?.*/',
    '/^(.*?)(!=|==|=)(.*)$/s',
  ])('see that %s is not', (text) => {
    expect(slowPatterns([parseSource('core/a.ts', `const pattern = ${text}`)])).toEqual([])
  })

  it('see names without meaning', () => {
    const sources = ['kube/utils.ts', 'kube/string-helpers.ts', 'kube/commonplace.ts'].map((path) =>
      parseSource(path, ''),
    )
    expect(emptyFileNames(sources)).toEqual(['kube/utils.ts', 'kube/string-helpers.ts'])
  })
})
