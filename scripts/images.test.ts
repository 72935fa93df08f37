import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const pathOf = (tool: string): string =>
  spawnSync('sh', ['-c', `command -v ${tool}`], { encoding: 'utf8' }).stdout.trim()

describe('images.sh', () => {
  const programs = mkdtempSync(join(tmpdir(), 'machinist-no-buildah-'))
  beforeAll(() => {
    for (const tool of ['basename', 'bash', 'cat', 'dirname', 'mktemp', 'rm', 'wc']) {
      symlinkSync(pathOf(tool), join(programs, tool))
    }
    // A user who cannot install packages.
    writeFileSync(join(programs, 'id'), '#!/bin/sh\necho 1000\n')
    chmodSync(join(programs, 'id'), 0o755)
  })
  afterAll(() => rmSync(programs, { recursive: true }))

  const run = (...args: string[]) =>
    spawnSync(pathOf('bash'), [join(import.meta.dirname, 'images.sh'), ...args], {
      encoding: 'utf8',
      env: { PATH: programs },
    })

  it('reports missing tools', () => {
    expect(run()).toMatchObject({
      status: 3,
      stdout: '',
      stderr: 'images: buildah and strip are required: install buildah and binutils, then retry\n',
    })
  })

  it.each([
    [['machinist', 'unknown'], 'images: unknown argument unknown: see --help\n'],
    [['--base'], 'images: --base requires a value\n'],
  ])('does not guess what %j means', (args, stderr) => {
    expect(run(...args)).toMatchObject({ status: 2, stdout: '', stderr })
  })

  it('prints its usage', () => {
    const { status, stdout } = run('--help')
    expect(status).toBe(0)
    expect(stdout).toMatch(/^usage: scripts\/images\.sh/)
  })
})
