import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
  it('runs from anywhere, through a link too', () => {
    const link = join(directory, 'machinist')
    symlinkSync(machinist, link)
    expect(spawnSync(link, ['--version'], { encoding: 'utf8', cwd: '/' }).stdout).toBe('0.1.0\n')
  })

  it('reads files relative to where it was called, and standard input', () => {
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

  it('does not mind a reader that stops reading', async () => {
    const child = spawn('bash', ['-c', '"$0" crds | head -n 1; echo "${PIPESTATUS[0]}"', machinist])
    let out = ''
    let error = ''
    child.stdout.on('data', (chunk) => (out += String(chunk)))
    child.stderr.on('data', (chunk) => (error += String(chunk)))
    await new Promise((resolve) => child.on('close', resolve))
    expect({ out, error }).toEqual({ out: 'apiVersion: apiextensions.k8s.io/v1\n0\n', error: '' })
  })
})
