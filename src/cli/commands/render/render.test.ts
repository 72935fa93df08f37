import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { InvalidInput } from '@machinist/core/errors'
import { parseYaml } from '@machinist/core/encoding/yaml'
import { run } from '../../program.ts'

interface Ran {
  readonly code: number
  readonly out: string
  readonly error: string
}

const worker = `
apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfig
metadata: { name: 99-worker, labels: { machineconfiguration.openshift.io/role: worker } }
spec:
  kernelArguments: [nosmt]
  config:
    ignition: { version: 3.2.0 }
    storage:
      files:
        - { path: /etc/motd, mode: 0600, user: { name: core }, contents: { source: 'data:,worker' } }
    systemd:
      units: [{ name: x.service, enabled: true, dropins: [{ name: a.conf, contents: "[Unit]\\n" }] }]
---
# Other kinds do not matter.
kind: ConfigMap
metadata: { name: other }
`
const infra = JSON.stringify({
  apiVersion: 'v1',
  kind: 'List',
  items: [
    {
      apiVersion: 'machineconfiguration.openshift.io/v1',
      kind: 'MachineConfig',
      metadata: { name: '01-infra', labels: { 'machineconfiguration.openshift.io/role': 'infra' } },
      spec: {
        kernelArguments: ['quiet'],
        config: {
          ignition: { version: '3.2.0' },
          storage: { files: [{ path: '/etc/motd', contents: { source: 'data:,infra' } }] },
          systemd: { units: [{ name: 'x.service', enabled: false }] },
        },
      },
    },
    {
      apiVersion: 'machineconfiguration.openshift.io/v1',
      kind: 'MachineConfigPool',
      metadata: { name: 'infra' },
      spec: {
        machineConfigSelector: {
          matchExpressions: [
            {
              key: 'machineconfiguration.openshift.io/role',
              operator: 'In',
              values: ['worker', 'infra'],
            },
          ],
        },
      },
    },
  ],
})

const directory = mkdtempSync(join(tmpdir(), 'machinist-render-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))
const written = (name: string, text: string): string => {
  const path = join(directory, name)
  writeFileSync(path, text)
  return path
}
mkdirSync(join(directory, 'all'))
mkdirSync(join(directory, 'empty'))
mkdirSync(join(directory, 'twice'))
const [workerFile, infraFile] = [written('worker.yaml', worker), written('infra.json', infra)]
written('all/1.yml', worker)
written('all/2.json', infra)
written('all/notes.txt', 'a: [')
written('twice/1.yaml', worker)
written('twice/2.yaml', worker)

async function ran(args: readonly string[], input = ''): Promise<Ran> {
  const result = { out: '', error: '' }
  const code = await run(['render', ...args], {
    out: (text) => void (result.out += text),
    error: (text) => void (result.error += text),
    read: (path) => {
      if (path === '-') return Promise.resolve(Buffer.from(input))
      try {
        return Promise.resolve(readFileSync(path))
      } catch {
        throw new InvalidInput(`cannot read ${path}: no such file`)
      }
    },
    stopped: () => Promise.resolve(),
  })
  return { code, ...result }
}

interface Printed {
  readonly metadata: { readonly name: string }
  readonly spec: { readonly config: object; readonly kernelArguments: string[] }
}

const infraPool = ['--pool', 'infra', '-f', workerFile, infraFile]
const config = (source: string, enabled: boolean): object => ({
  ignition: { version: '3.5.0' },
  storage: {
    files: [
      {
        path: '/etc/motd',
        user: { name: 'core' },
        mode: 384,
        overwrite: true,
        contents: { source },
      },
    ],
  },
  systemd: {
    units: [{ name: 'x.service', enabled, dropins: [{ name: 'a.conf', contents: '[Unit]\n' }] }],
  },
})

describe('machinist render', () => {
  it('prints the rendered MachineConfig', async () => {
    const { code, out, error } = await ran(infraPool)
    expect({ code, error }).toEqual({ code: 0, error: '' })
    const printed = parseYaml(out, 'out') as Printed
    expect(printed.metadata.name).toMatch(/^rendered-infra-[0-9a-f]{32}$/)
    expect(printed.spec).toEqual({
      baseOSExtensionsContainerImage: '',
      config: config('data:,infra', false),
      extensions: [],
      fips: false,
      kernelArguments: ['nosmt', 'quiet'],
      kernelType: 'default',
      osImageURL: '',
    })
  })

  it('reads directories and standard input, prints JSON, and applies the order of 4.12', async () => {
    const all = join(directory, 'all')
    const old = await ran(['--pool', 'infra', '-f', all, '-o', 'json', '--release', '4.12'])
    const printed = JSON.parse(old.out) as Printed
    const ignition = { version: '3.2.0' }
    expect(printed.spec.config).toEqual({ ...config('data:,worker', true), ignition })
    expect(printed.spec.kernelArguments).toEqual(['quiet', 'nosmt'])
    const piped = await ran(['--pool', 'infra', '-f', workerFile, '-f', '-'], infra)
    expect(piped).toEqual(await ran(infraPool))
  })

  it('has built-in pools', async () => {
    const { out } = await ran(['--pool', 'worker', '-f', join(directory, 'all'), '-o', 'json'])
    expect((JSON.parse(out) as Printed).spec.kernelArguments).toEqual(['nosmt'])
  })

  it.each([
    [
      '/etc/motd',
      '  contents.source  01-infra\n  user.name        99-worker\n  mode             99-worker\n',
    ],
    ['x.service', '  dropins.a.conf.contents  99-worker\n  enabled                  01-infra\n'],
    ['kernelArguments', '  nosmt  99-worker\n  quiet  01-infra\n'],
  ])('explains %s', async (what, lines) => {
    const { code, out } = await ran([...infraPool, '--explain', what])
    expect(code).toBe(0)
    const [title, ...rest] = out.split('\n')
    expect(title).toMatch(new RegExp(`^${what} in rendered-infra-[0-9a-f]{32}$`))
    expect(rest.toSorted()).toEqual(lines.split('\n').toSorted())
  })

  it('explains as JSON, with overridden MachineConfigs', async () => {
    const last = infra.replaceAll('01-infra', '02-infra').replace('"quiet"', '"splash"')
    const only = JSON.stringify((JSON.parse(last) as { items: object[] }).items[0]).replace(
      'data:,infra',
      'data:,last',
    )
    const args = [...infraPool, '-', '--explain', '/etc/motd', '-o', 'json']
    const { out } = await ran(args, only)
    expect(JSON.parse(out)).toMatchObject({
      of: '/etc/motd',
      fields: expect.arrayContaining([{ field: 'contents.source', from: '02-infra' }]) as unknown,
      overridden: ['01-infra'],
    })
  })

  it('replaces an object by one of a later file, with a note', async () => {
    const newer = worker.replace('nosmt', 'audit=1')
    const args = ['--pool', 'worker', '-f', workerFile, '-', '-o', 'json']
    const { code, out, error } = await ran(args, newer)
    expect({ code, error }).toEqual({
      code: 0,
      error: `machinist: MachineConfig 99-worker of standard input replaces the one of ${workerFile}\n`,
    })
    expect((JSON.parse(out) as Printed).spec.kernelArguments).toEqual(['audit=1'])
  })

  it('warns about probable mistakes', async () => {
    const { code, error } = await ran(
      ['--pool', 'worker', '-f', '-'],
      worker.replace('mode: 0600', 'mode: 04755'),
    )
    expect({ code, error }).toEqual({
      code: 0,
      error:
        'machinist: warning: MachineConfig 99-worker: spec.config.storage.files[0].mode has setuid, setgid or sticky bits (octal 4755), which are dropped: Ignition supports them from version 3.4.0\n',
    })
  })

  it('warns about MachineConfigs that no pool selects', async () => {
    const lost = worker.replace('99-worker', '50-lost').replace('role: worker', 'role: wroker')
    const { code, error } = await ran(['--pool', 'worker', '-f', workerFile, '-'], lost)
    expect({ code, error }).toEqual({
      code: 0,
      error:
        'machinist: warning: No MachineConfigPool selects MachineConfig 50-lost, so it has no effect: its label machineconfiguration.openshift.io/role is wroker. Set the label to the name of a pool; existing pools: arbiter, master, worker\n',
    })
  })

  it.each<[string, string[], string, RegExp]>([
    [
      'no pool',
      ['--pool', 'gone', '-f', infraFile],
      '',
      /MachineConfigPool gone not found in these files \(found: infra\)/,
    ],
    [
      'nothing selected',
      ['--pool', 'master', '-f', workerFile],
      '',
      /pool master cannot be rendered: no MachineConfigs found matching/,
    ],
    ['no file', ['--pool', 'worker', '-f', '/nowhere'], '', /cannot read \/nowhere: no such file/],
    ['an empty directory', ['--pool', 'worker', '-f', join(directory, 'empty')], '', /contains no/],
    ['no YAML', ['--pool', 'worker', '-f', '-'], 'a: [', /standard input: not valid YAML/],
    [
      'the same twice in one file',
      ['--pool', 'worker', '-f', '-'],
      `${worker}---${worker}`,
      /MachineConfig 99-worker is twice in standard input/,
    ],
    [
      'the same twice in one directory',
      ['--pool', 'worker', '-f', join(directory, 'twice')],
      '',
      /MachineConfig 99-worker is in .*1\.yaml and in .*2\.yaml/,
    ],
    [
      'a key that Ignition ignores',
      ['--pool', 'worker', '-f', '-'],
      worker.replace("source: 'data:,worker'", 'inline: hello'),
      /^machinist: pool worker cannot be rendered: MachineConfig 99-worker: spec\.config\.storage\.files\[0\]\.contents\.inline is ignored: .*butane/,
    ],
    [
      'no name',
      ['--pool', 'worker', '-f', '-'],
      'kind: MachineConfig',
      /standard input: a MachineConfig has no metadata\.name/,
    ],
    [
      'labels that are none',
      ['--pool', 'worker', '-f', '-'],
      '{kind: MachineConfig, metadata: {name: x, labels: [1]}}',
      /metadata\.labels of MachineConfig x must be strings/,
    ],
    [
      'a pool without a spec',
      ['--pool', 'worker', '-f', '-'],
      '{kind: MachineConfigPool, metadata: {name: worker}}',
      /MachineConfigPool worker has no spec/,
    ],
    [
      'a bad MachineConfig',
      ['--pool', 'worker', '-f', '-'],
      worker.replace('/etc/motd', 'etc/motd'),
      /MachineConfig 99-worker: invalid Ignition config found in 99-worker: \$\.storage\.files\[0\]\.path/,
    ],
    [
      'nothing to explain',
      [...infraPool, '--explain', '/etc/other'],
      '',
      /contains no \/etc\/other/,
    ],
  ])('reports %s as one line', async (_, args, input, message) => {
    const { code, out, error } = await ran(args, input)
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(error).toMatch(message)
    expect(error.trimEnd()).not.toContain('\n')
  })

  it.each([
    [['--pool', 'worker']],
    [['-f', workerFile]],
    [[...infraPool, '-o', 'xml']],
    [[...infraPool, '--release', '4.13']],
    [['--pool', 'worker', '-f', '-', '-']],
  ])('reports wrong use (%j) with exit code 2', async (args) => {
    const { code, out, error } = await ran(args)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(error).toMatch(/^machinist: .* \(see machinist render --help\)\n$/)
  })
})
