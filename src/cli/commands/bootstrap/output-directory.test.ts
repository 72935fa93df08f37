import { spawnSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { checkOutputDirectory, writeOutputDirectory } from './output-directory.ts'

const root = mkdtempSync(join(tmpdir(), 'machinist-output-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
beforeEach(() => {
  rmSync(root, { recursive: true, force: true })
  mkdirSync(root)
})
const out = join(root, 'out')
const files = new Map([
  ['machine-pools/worker.yaml', 'new pool'],
  ['machine-configs/a.yaml', 'new a'],
])

/** The files below a directory; undefined if it does not exist. */
function contentOf(directory: string): Record<string, string> | undefined {
  let entries
  try {
    entries = readdirSync(directory, { recursive: true, withFileTypes: true })
  } catch {
    return undefined
  }
  return Object.fromEntries(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path.slice(directory.length + 1), readFileSync(path, 'utf8')]),
  )
}

describe('the output directory', () => {
  it('is created with its parents, and only its owner can read it', async () => {
    const deep = join(root, 'a/b/out')
    await writeOutputDirectory(files, { directory: deep, force: false })
    expect(contentOf(deep)).toEqual(Object.fromEntries(files))
    expect(readdirSync(join(root, 'a/b'))).toEqual(['out'])
    const mode = (path: string): string => (statSync(join(deep, path)).mode & 0o777).toString(8)
    expect(mode('.')).toBe('700')
    expect(mode('machine-configs')).toBe('700')
    expect(mode('machine-configs/a.yaml')).toBe('600')
  })

  it('may exist if it is empty, or with --force, which replaces all of it', async () => {
    mkdirSync(out)
    await checkOutputDirectory({ directory: out, force: false }, '/in')
    await writeOutputDirectory(files, { directory: out, force: false })
    writeFileSync(join(out, 'old.yaml'), 'old')
    await expect(checkOutputDirectory({ directory: out, force: false }, '/in')).rejects.toThrow(
      `--out ${out} is not empty: use another directory, or --force to replace it`,
    )
    await expect(writeOutputDirectory(files, { directory: out, force: false })).rejects.toThrow(
      `--out ${out} is not empty any more`,
    )
    expect(contentOf(out)).toHaveProperty('old.yaml')
    await checkOutputDirectory({ directory: out, force: true }, '/in')
    await writeOutputDirectory(files, { directory: out, force: true })
    expect(contentOf(out)).toEqual(Object.fromEntries(files))
    expect(readdirSync(root)).toEqual(['out'])
  })

  it('must not be part of the input', async () => {
    for (const directory of ['/in', '/in/out', '/in/a/../out', '/other/../in/x']) {
      await expect(checkOutputDirectory({ directory, force: true }, '/in')).rejects.toThrow(
        `--out ${directory} is inside --in /in: the next run would read it; use another directory`,
      )
    }
    for (const directory of ['/input', '/in/../out', '/in-out']) {
      await checkOutputDirectory({ directory, force: true }, '/in')
    }
  })

  it('that cannot be written is reported, and nothing is left', async () => {
    writeFileSync(join(root, 'file'), '')
    await expect(
      checkOutputDirectory({ directory: join(root, 'file'), force: true }, '/in'),
    ).rejects.toThrow(`--out ${root}/file cannot be used: not a directory`)
    const below = join(root, 'file/out')
    await expect(writeOutputDirectory(files, { directory: below, force: true })).rejects.toThrow(
      `--out ${below} cannot be written: `,
    )
    const clash = new Map([...files, ['machine-configs/a.yaml/x', '']])
    await expect(writeOutputDirectory(clash, { directory: out, force: true })).rejects.toThrow(
      `--out ${out} cannot be written: `,
    )
    expect(readdirSync(root)).toEqual(['file'])
  })

  /** Writes the output in a process that is killed before its n-th operation on the file system. */
  const isKilledBefore = (operation: number): boolean => {
    const module = join(import.meta.dirname, 'output-directory.ts')
    const script = `
      import fs from 'node:fs/promises'
      import { syncBuiltinESMExports } from 'node:module'
      let left = ${operation}
      const count = () => { if (--left === 0) process.kill(process.pid, 'SIGKILL') }
      for (const name of ['mkdir', 'readdir', 'rename', 'rm', 'open']) {
        const real = fs[name]
        fs[name] = async (...args) => {
          count()
          const result = await real(...args)
          if (name !== 'open') return result
          const write = result.writeFile.bind(result)
          result.writeFile = async (text) => { count(); await write(text.slice(0, 3)); count(); await write(text.slice(3)) }
          const sync = result.sync.bind(result)
          result.sync = async () => { count(); await sync() }
          return result
        }
      }
      syncBuiltinESMExports()
      const { writeOutputDirectory } = await import(${JSON.stringify(module)})
      await writeOutputDirectory(new Map(${JSON.stringify([...files])}), { directory: ${JSON.stringify(out)}, force: true })
    `
    const { status, signal, stderr } = spawnSync(
      process.execPath,
      ['--input-type=module', '-e', script],
      { encoding: 'utf8' },
    )
    if (signal === null && status !== 0) throw new Error(stderr)
    return signal !== null
  }

  it.each([
    ['is not there', () => {}, undefined],
    [
      'has another output',
      () => {
        mkdirSync(out)
        writeFileSync(join(out, 'old.yaml'), 'old')
      },
      { 'old.yaml': 'old' },
    ],
  ])(
    'that %s is never written in part, whenever the process is killed',
    { timeout: 120_000 },
    async (_, prepare, before) => {
      prepare()
      let kills = 0
      for (let operation = 1; isKilledBefore(operation); operation++) {
        kills++
        const now = contentOf(out)
        // While another output is replaced, it is missing for a moment.
        expect([before, Object.fromEntries(files), undefined]).toContainEqual(now)
        if (JSON.stringify(now) !== JSON.stringify(before)) {
          rmSync(out, { recursive: true, force: true })
          prepare()
        }
      }
      expect(kills).toBeGreaterThan(15)
      expect(contentOf(out)).toEqual(Object.fromEntries(files))
      // The next process removes what killed ones left.
      expect(readdirSync(root)).toEqual(['out'])
    },
  )
})
