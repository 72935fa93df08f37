import { spawn, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'

const machinist = join(import.meta.dirname, '../../../bin/machinist')
const directory = mkdtempSync(join(tmpdir(), 'machinist-cli-'))
afterAll(() => rmSync(directory, { recursive: true }))

const run = (
  args: string[],
  input = '',
): { status: number | null; stdout: string; stderr: string } =>
  spawnSync(machinist, args, { input, encoding: 'utf8', cwd: directory })

describe('bin/machinist', () => {
  it('runs from any directory, also through a link', () => {
    const link = join(directory, 'machinist')
    symlinkSync(machinist, link)
    expect(spawnSync(link, ['--version'], { encoding: 'utf8', cwd: '/' }).stdout).toBe('0.1.0\n')
  })

  it('reads files relative to the working directory, and standard input', () => {
    const config = '{"ignition":{"version":"3.4.0"}}'
    writeFileSync(join(directory, 'a.ign'), config)
    const merged = run(['ignition', 'merge', 'a.ign', '-'], config)
    expect(merged).toMatchObject({ status: 0, stderr: '' })
    expect(JSON.parse(merged.stdout)).toEqual({ ignition: { version: '3.5.0' } })
  })

  it('keeps standard output clean and exits 1 on failure, 2 on wrong use', () => {
    expect(run(['ignition', 'validate', 'nothing.ign'])).toMatchObject({
      status: 1,
      stdout: '',
      stderr: 'machinist: cannot read nothing.ign: no such file or directory\n',
    })
    expect(run(['ignition', 'validate']).status).toBe(2)
  })

  it('reports on standard error that the first run in a checkout installs packages', () => {
    const checkout = join(directory, 'checkout')
    const programs = join(directory, 'programs')
    const node = join(checkout, 'node_modules/.bin/node')
    mkdirSync(join(checkout, 'bin'), { recursive: true })
    mkdirSync(programs)
    copyFileSync(machinist, join(checkout, 'bin/machinist'))
    const fakeNode = `mkdir -p '${dirname(node)}' && printf '#!/bin/sh\\necho help' >'${node}' && chmod +x '${node}'`
    writeFileSync(join(programs, 'make'), `#!/bin/sh\n${fakeNode}\n`, { mode: 0o755 })
    const env = { ...process.env, PATH: `${programs}:${process.env['PATH']}` }
    const start = (): { stdout: string; stderr: string } =>
      spawnSync(join(checkout, 'bin/machinist'), ['--help'], { encoding: 'utf8', env })
    expect(start()).toMatchObject({
      stdout: 'help\n',
      stderr:
        'machinist: first run in this checkout: installing Node 26 and packages (make setup)\n',
    })
    expect(start()).toMatchObject({ stdout: 'help\n', stderr: '' })
  })

  it('succeeds if the reader closes the pipe', async () => {
    const child = spawn('bash', ['-c', '"$0" crds | head -n 1; echo "${PIPESTATUS[0]}"', machinist])
    let out = ''
    let error = ''
    child.stdout.on('data', (chunk) => (out += String(chunk)))
    child.stderr.on('data', (chunk) => (error += String(chunk)))
    await new Promise((resolve) => child.on('close', resolve))
    expect({ out, error }).toEqual({ out: 'apiVersion: apiextensions.k8s.io/v1\n0\n', error: '' })
  })
})
