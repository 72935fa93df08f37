import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { plainManifests } from '../bootstrap/manifests.ts'

const machinist = join(import.meta.dirname, '../../../bin/machinist')
const directory = mkdtempSync(join(tmpdir(), 'machinist-bootstrap-cli-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))
const input = join(directory, 'in')
const output = join(directory, 'out')

beforeAll(() => {
  for (const [path, text] of Object.entries(plainManifests)) {
    mkdirSync(dirname(join(input, path)), { recursive: true })
    writeFileSync(join(input, path), text)
  }
})

const run = (...args: string[]): { status: number | null; stdout: string; stderr: string } =>
  spawnSync(machinist, ['bootstrap', ...args], { encoding: 'utf8', cwd: directory })

describe('machinist bootstrap', { timeout: 120_000 }, () => {
  it('writes the output, prints the config of each pool, and its progress on standard error', () => {
    const { status, stdout, stderr } = run('--in', 'in', '--out', 'out')
    expect(stderr.replaceAll(/\d+ objects? *$/gm, 'N objects')).toMatch(
      /^machinist: read 5 objects from 4 files\nmachinist: rendering for Kubernetes without OpenShift\n(machinist: round \d of the controllers changed .*\n)+machinist: wrote 13 files to out\n$/m,
    )
    expect(status).toBe(0)
    expect(stdout).toMatch(
      /^infra rendered-infra-[0-9a-f]{32}\nmaster rendered-master-[0-9a-f]{32}\nworker rendered-worker-[0-9a-f]{32}\n$/,
    )
    const [, worker] = /^worker (.+)$/m.exec(stdout)!
    expect(existsSync(join(output, `machine-configs/${worker}.yaml`))).toBe(true)
    expect(readFileSync(join(output, 'machine-pools/worker.yaml'), 'utf8')).toContain(worker)
  })

  it('does not replace an output without --force, and keeps it if the input is bad', () => {
    const before = readdirSync(output, { recursive: true })
    expect(run('--in', 'in', '--out', 'out')).toEqual(
      expect.objectContaining({
        status: 1,
        stdout: '',
        stderr:
          'machinist: --out out is not empty: use another directory, or --force to replace it\n',
      }),
    )
    writeFileSync(join(input, 'bad.yaml'), 'a: [\n')
    const { status, stdout, stderr } = run('--in', 'in', '--out', 'out', '--force')
    rmSync(join(input, 'bad.yaml'))
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expect(stderr).toMatch(
      /\nmachinist: bad\.yaml: not valid YAML: .*\nmachinist: 1 problem in the manifests; nothing was written\n$/,
    )
    expect(readdirSync(output, { recursive: true })).toEqual(before)
  })

  it('uses templates of its own', () => {
    const path = join(directory, 'templates/worker/00/_base/files/etc/motd.liquid')
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, 'from a template\n')
    const { status } = run('--in', 'in', '--out', 'own', '--templates', 'templates')
    expect(status).toBe(0)
    const text = readFileSync(join(directory, 'own/machine-configs/00-worker.yaml'), 'utf8')
    expect(text).toContain('data:,from%20a%20template%0A')
  })

  it.each([
    [['--in', 'in']],
    [['--out', 'x']],
    [['--in', 'in', '--out', 'x', '--timeout', '0']],
    [['--in', 'in', '--out', 'x', '--release', '4.9']],
  ])('answers wrong use (%j) with exit code 2', (args) => {
    expect(run(...args)).toMatchObject({ status: 2, stdout: '' })
  })

  it.each(['SIGTERM', 'SIGKILL'] as const)('leaves nothing behind after %s', async (signal) => {
    const before = readdirSync(directory)
    const child = spawn(machinist, ['bootstrap', '--in', 'in', '--out', 'killed'], {
      cwd: directory,
    })
    let error = ''
    const started = new Promise<void>((resolve) => {
      child.stderr.on('data', (chunk) => {
        error += String(chunk)
        if (error.includes('rendering for')) resolve()
      })
    })
    await started
    child.kill(signal)
    const [code] = (await once(child, 'exit')) as [number | null]
    expect(readdirSync(directory)).toEqual(before)
    if (signal === 'SIGKILL') return
    expect(code).toBe(1)
    expect(error).toMatch(/machinist: stopped; nothing was written\n$/)
  })
})
