import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const script = join(import.meta.dirname, 'kubernetes.sh')
const tools = 'awk basename bash cat chmod dirname head mkdir mktemp mv rm sort touch'.split(' ')

const pathOf = (tool: string): string =>
  spawnSync('sh', ['-c', `command -v ${tool}`], { encoding: 'utf8' }).stdout.trim()

describe('kubernetes.sh', () => {
  let home: string
  let programs: string

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'machinist-kubernetes-'))
    programs = join(home, 'programs')
    mkdirSync(programs)
    // Only these, so that the tests do not depend on the Go compiler of the machine.
    for (const tool of tools) symlinkSync(pathOf(tool), join(programs, tool))
  })
  afterEach(() => rmSync(home, { recursive: true, force: true }))

  /** Runs with only `programs` on PATH, in a temporary home directory. */
  const run = (args: readonly string[], env: Record<string, string> = {}) => {
    const { status, stdout, stderr } = spawnSync(join(programs, 'bash'), [script, ...args], {
      encoding: 'utf8',
      env: { PATH: programs, HOME: home, ...env },
    })
    return { status, stdout, stderr }
  }

  const program = (path: string, body = ''): void => {
    writeFileSync(path, `#!/bin/sh\n${body}\n`)
    chmodSync(path, 0o755)
  }

  const assets = (name: string): string => {
    const directory = join(home, name)
    mkdirSync(directory, { recursive: true })
    for (const each of ['kube-apiserver', 'etcd', 'kubectl']) program(join(directory, each))
    return directory
  }

  /** A stand-in for the Go compiler: it records its calls and "builds" an empty program. */
  const compiler = (whenBuilding = ''): void =>
    program(
      join(programs, 'go'),
      `if [ "$1" = env ]; then echo go1.24.1; exit; fi
       echo "$GOTOOLCHAIN $GOFLAGS $CGO_ENABLED $*" >> "${join(home, 'go.log')}"
       ${whenBuilding}
       while [ "$1" != -o ]; do shift; done; touch "$2"; chmod +x "$2"`,
    )

  const cache = (): string => join(home, '.cache/machinist/kubernetes-v1.32.4')

  it('uses the directory of KUBEBUILDER_ASSETS', () => {
    const directory = assets('assets')
    expect(run([], { KUBEBUILDER_ASSETS: directory })).toEqual({
      status: 0,
      stdout: `${directory}\n`,
      stderr: '',
    })
  })

  it('uses the cache if KUBEBUILDER_ASSETS contains no servers', () => {
    const directory = assets('.cache/machinist/kubernetes-v1.32.4')
    const { status, stdout } = run([], { KUBEBUILDER_ASSETS: join(home, 'empty') })
    expect([status, stdout]).toEqual([0, `${directory}\n`])
  })

  it('honours XDG_CACHE_HOME', () => {
    const directory = assets('elsewhere/machinist/kubernetes-v1.32.4')
    expect(run([], { XDG_CACHE_HOME: join(home, 'elsewhere') }).stdout).toBe(`${directory}\n`)
  })

  it('prints a hint in one line if nothing is found', () => {
    for (const args of [[], ['--build']]) {
      const { status, stdout, stderr } = run(args)
      expect([status, stdout]).toEqual([3, ''])
      expect(stderr).toBe(
        'no Kubernetes v1.32.4 to test with: set KUBEBUILDER_ASSETS, or install Go and run scripts/kubernetes.sh --build\n',
      )
    }
  })

  it('does not build without --build', () => {
    compiler()
    expect(run([]).status).toBe(3)
    expect(existsSync(join(home, 'go.log'))).toBe(false)
  })

  it('builds the pinned versions once, and only prints the directory on stdout', () => {
    compiler()
    expect(run(['--build']).stdout).toBe(`${cache()}\n`)
    expect(run(['--build']).stdout).toBe(`${cache()}\n`)
    expect(readdirSync(cache()).sort()).toEqual(['etcd', 'kube-apiserver', 'kubectl'])
    const calls = readFileSync(join(home, 'go.log'), 'utf8').trim().split('\n')
    expect(calls).toHaveLength(3)
    expect(calls[0]).toMatch(
      /^local -mod=readonly 0 build -trimpath -buildvcs=false -ldflags -s -w -X k8s\.io\/component-base\/version\.gitVersion=v1\.32\.4 -X k8s\.io\/component-base\/version\.gitMajor=1 -X k8s\.io\/component-base\/version\.gitMinor=32 -o .* k8s\.io\/kubernetes\/cmd\/kube-apiserver$/,
    )
  })

  it('leaves no directory that looks complete if a build fails', () => {
    compiler('case "$*" in *etcd) echo "no space left" >&2; exit 1;; esac')
    const { status, stdout, stderr } = run(['--build'])
    expect([status, stdout]).toEqual([1, ''])
    expect(stderr).toContain('no space left')
    expect(readdirSync(join(home, '.cache/machinist'))).toEqual(['kubernetes-v1.32.4.lock'])
  })

  it('prints its usage', () => {
    expect(run(['--help'])).toMatchObject({ status: 0, stderr: '' })
    expect(run(['--help']).stdout).toContain('usage: scripts/kubernetes.sh [--build]')
    expect(run(['--what'])).toMatchObject({ status: 2, stdout: '' })
  })
})
