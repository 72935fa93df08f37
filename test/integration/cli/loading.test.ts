import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { bundle } from '../../../scripts/bundle.ts'

const root = join(import.meta.dirname, '../../..')
const directory = mkdtempSync(join(tmpdir(), 'machinist-loading-'))
afterAll(() => rmSync(directory, { recursive: true }))

/** Prints every file that Node loads. */
const loadHook = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module'
  registerHooks({
    load(url, context, next) {
      process.stderr.write(url + '\\n')
      return next(url, context)
    },
  })
`)}`

/** The rooms, packages and libraries that a command line loads. */
function loadedBy(args: readonly string[], input = ''): string[] {
  const main = join(root, 'src/cli/main.ts')
  const { stderr } = spawnSync(process.execPath, ['--import', loadHook, main, ...args], {
    encoding: 'utf8',
    input,
  })
  const found = [...stderr.matchAll(/\/(?:packages|src|node_modules)\/(@[^/]+\/[^/]+|[^/]+)\//g)]
  return [...new Set(found.map(([, name]) => name!))].sort()
}

// Processes start slowly on a busy machine.
describe('a command', { timeout: 60_000 }, () => {
  it('loads only what it needs', () => {
    expect(loadedBy(['--help'])).toEqual(['cli', 'commander', 'core', 'ignition', 'process'])
    expect(loadedBy(['ignition', 'validate', '-'], '{}')).not.toContain('apiserver')
    const crds = ['api', 'cli', 'commander', 'core', 'ignition', 'process', 'yaml']
    expect(loadedBy(['crds'])).toEqual(crds)
  })

  it.each(['daemon', 'cluster'] as const)(
    'of the bundle %s contains no API server',
    async (name) => {
      const at = join(directory, name)
      await bundle(at, name)
      const parts = readdirSync(at).filter((file) => file.endsWith('.mjs'))
      expect(parts).toContain('machinist.mjs')
      expect(parts.filter((part) => /^(embedded-api|audit-line)/.test(part))).toEqual([])
    },
  )

  it('keeps the compile cache of Node for the next one', () => {
    const cache = join(directory, 'compiled')
    const run = (): string =>
      spawnSync(join(root, 'bin/machinist'), ['--version'], {
        encoding: 'utf8',
        env: { ...process.env, NODE_COMPILE_CACHE: cache },
      }).stdout
    expect(run()).toBe('0.1.0\n')
    expect(existsSync(cache)).toBe(true)
    const [version] = readdirSync(cache)
    expect(readdirSync(join(cache, version!)).length).toBeGreaterThan(10)
    expect(run()).toBe('0.1.0\n')
  })
})
