import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const shared = join(import.meta.dirname, 'test-machine.sh')
// Machines are built on Linux only; other systems may lack flock and sha256sum.
const isLinux = process.platform === 'linux'
let directory: string
let script: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'machinist-machines-'))
  script = join(directory, 'some-test.sh')
})
afterEach(() => rmSync(directory, { recursive: true }))

/** A script with these lines. */
const lines = (text: string): void =>
  writeFileSync(script, `set -euo pipefail\n. ${shared}\n${text}\n`)
const run = () =>
  spawnSync('bash', [script], { encoding: 'utf8', env: { ...process.env, TMPDIR: directory } })

describe.runIf(isLinux)('a build for tests', () => {
  const building = (build: string): void =>
    lines(
      `build() { ${build}; }\nbuild_once ${directory}/cache/it 'building' build one two || exit 3`,
    )

  it('is complete and runs once', () => {
    building('echo "$2 $3" >"$1/built"')
    const expected = { status: 0, stdout: `${directory}/cache/it\n` }
    expect(run()).toMatchObject({ ...expected, stderr: 'some-test: building\n' })
    expect(readFileSync(join(directory, 'cache/it/built'), 'utf8')).toBe('one two\n')
    expect(run()).toMatchObject({ ...expected, stderr: '' })
  })

  it('leaves nothing if it fails, and reports its last line', () => {
    building('touch "$1/half"; echo first; echo "no space left" >&2; return 1')
    const stderr = 'some-test: building\nsome-test: the build failed: no space left\n'
    expect(run()).toMatchObject({ status: 3, stdout: '', stderr })
    expect(readdirSync(join(directory, 'cache'))).toEqual(['it.lock'])
    expect(readdirSync(directory)).toEqual(['cache', 'some-test.sh'])
  })

  it('runs once for two concurrent callers', async () => {
    building(`echo built >>${directory}/count`)
    const start = () => promisify(execFile)('bash', [script])
    const ends = await Promise.all([start(), start()])
    expect(ends.map(({ stdout }) => stdout)).toEqual(Array(2).fill(`${directory}/cache/it\n`))
    expect(readFileSync(join(directory, 'count'), 'utf8')).toBe('built\n')
  })
})

it.runIf(isLinux)('names a cache after all that it is built from', () => {
  const cacheFrom = (text: string): string => {
    writeFileSync(join(directory, 'input'), text)
    lines(`XDG_CACHE_HOME=/c cache_for it ${shared} ${directory}/input`)
    return run().stdout
  }
  const first = cacheFrom('a')
  expect(first).toMatch(/^\/c\/machinist\/it-[0-9a-f]{12}\n$/)
  expect(cacheFrom('b')).not.toBe(first)
  expect(cacheFrom('a')).toBe(first)
})

it.each([
  ['bash cat', 'yes'],
  ['bash no-such-program cat', 'no'],
  ['no-such-program', 'no'],
])('knows whether all of %s are there: %s', (programs, expected) => {
  lines(`if all_there ${programs}; then echo yes; else echo no; fi`)
  expect(run().stdout).toBe(`${expected}\n`)
})
