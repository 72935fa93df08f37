import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { parseYamlDocuments } from '@machinist/core/encoding/yaml'
import { run } from '../../program.ts'

interface Ran {
  readonly code: number
  readonly out: string
  readonly error: string
}

const config = `
apiVersion: machineconfiguration.openshift.io/v1
kind: ControllerConfig
metadata: { name: machine-config-controller }
spec:
  clusterDNSIP: 10.96.0.10
  images: {}
  infra: null
`
const withPullSecret = config.replace('images:', 'pullSecret: { name: pull-secret }\n  images:')
const secret = `
kind: Secret
metadata: { namespace: openshift-config, name: pull-secret }
type: kubernetes.io/dockerconfigjson
stringData:
  .dockerconfigjson: '{"auths": {"x": {"auth": "TOPSECRET"}}}'
`

const directory = mkdtempSync(join(tmpdir(), 'machinist-template-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))
const written = (path: string, text: string | Uint8Array): string => {
  mkdirSync(dirname(join(directory, path)), { recursive: true })
  writeFileSync(join(directory, path), text)
  return join(directory, path)
}
const configFile = written('config.yaml', config)

async function ran(args: readonly string[], input = ''): Promise<Ran> {
  const result = { out: '', error: '' }
  const code = await run(['template', ...args], {
    out: (text) => void (result.out += text),
    error: (text) => void (result.error += text),
    read: (path) => Promise.resolve(path === '-' ? Buffer.from(input) : readFileSync(path)),
    stopped: () => Promise.resolve(),
  })
  return { code, ...result }
}

interface Printed {
  readonly metadata: { readonly name: string; readonly labels: Record<string, string> }
  readonly spec: {
    readonly config: { storage?: { files: { path: string; contents: { source: string } }[] } }
  }
}
const sources = (printed: readonly Printed[], name: string): Record<string, string> =>
  Object.fromEntries(
    (printed.find(({ metadata }) => metadata.name === name)?.spec.config.storage?.files ?? []).map(
      ({ path, contents }) => [path, contents.source],
    ),
  )
const list = (out: string): Printed[] => (JSON.parse(out) as { items: Printed[] }).items

describe('machinist template', () => {
  it('prints the MachineConfigs of all roles', async () => {
    const { code, out, error } = await ran(['--controller-config', configFile])
    expect({ code, error }).toEqual({ code: 0, error: '' })
    const printed = parseYamlDocuments(out, 'out') as Printed[]
    expect(printed.map(({ metadata }) => metadata.name)).toEqual([
      '00-master',
      '01-master-container-runtime',
      '01-master-kubelet',
      '00-worker',
      '01-worker-container-runtime',
      '01-worker-kubelet',
    ])
    expect(printed[5]?.metadata.labels).toEqual({
      'machineconfiguration.openshift.io/role': 'worker',
    })
    expect(sources(printed, '01-worker-kubelet')['/etc/kubernetes/kubelet.conf']).toContain(
      '10.96.0.10',
    )
  })

  it('prints the MachineConfigs of one role, also of a custom one, as JSON', async () => {
    const { out } = await ran(['--controller-config', '-', '--role', 'infra', '-o', 'json'], config)
    expect(list(out).map(({ metadata }) => metadata.name)).toEqual([
      '00-infra',
      '01-infra-container-runtime',
      '01-infra-kubelet',
    ])
  })

  it('reads the pull secret from the same file, or prints a note', async () => {
    const args = ['--controller-config', '-', '--role', 'worker', '-o', 'json']
    const path = '/var/lib/kubelet/config.json'
    const whole = await ran(args, `${withPullSecret}---${secret}`)
    expect(whole.error).toBe('')
    expect(sources(list(whole.out), '00-worker')[path]).toBe(
      'data:,%7B%22auths%22%3A%7B%22x%22%3A%7B%22auth%22%3A%22TOPSECRET%22%7D%7D%7D%0A',
    )
    const half = await ran(args, withPullSecret)
    expect(half.code).toBe(0)
    expect(half.error).toBe(
      'machinist: Secret openshift-config/pull-secret is not in standard input; the output does not contain the pull secret file\n',
    )
    expect(sources(list(half.out), '00-worker')).not.toHaveProperty(path)
  })

  it('overrides templates with later directories', async () => {
    written('one/README.md', 'What these are.')
    written('one/worker/00/_base/files/etc/motd.liquid', 'one\n')
    written('one/worker/05-mine/_base/files/etc/mine.liquid', 'mine {{ role }}\n')
    written('one/common/00/_base/files/etc/mco/proxy.env.liquid', '---\nremove: true\n---\n')
    written('two/worker/00/_base/files/etc/motd.liquid', 'two\n')
    const tops = ['one', 'two'].flatMap((name) => ['--templates', join(directory, name)])
    const { out, error } = await ran(['--controller-config', configFile, '-o', 'json', ...tops])
    expect(error).toBe('')
    expect(sources(list(out), '00-worker')['/etc/motd']).toBe('data:,two%0A')
    expect(sources(list(out), '00-master')).not.toHaveProperty('/etc/motd')
    expect(sources(list(out), '00-master')).not.toHaveProperty('/etc/mco/proxy.env')
    expect(sources(list(out), '05-worker-mine')).toEqual({ '/etc/mine': 'data:,mine%20worker%0A' })
  })

  it.each<[string, string, string | Uint8Array, RegExp]>([
    [
      'a stray file',
      'a/notes.txt',
      '',
      /^machinist: templates in \S+\/a: notes\.txt is not a template: templates are at <role>/,
    ],
    [
      'an unknown platform',
      'b/worker/00/amazon/files/x.liquid',
      '',
      /worker\/00\/amazon\/files\/x\.liquid is for platform "amazon"/,
    ],
    [
      'bytes that are no text',
      'c/worker/00/_base/files/x.liquid',
      Buffer.from([0xff]),
      /c\/worker\/00\/_base\/files\/x\.liquid is not UTF-8 text/,
    ],
    [
      'a file that is too long',
      'd/worker/00/_base/files/x.liquid',
      'x'.repeat(1_100_000),
      /x\.liquid has more than 1048576 bytes/,
    ],
    [
      'a typo',
      'e/worker/00/_base/files/x.liquid',
      'a\n{{ b }}',
      /^machinist: role worker: worker\/00\/_base\/files\/x\.liquid:2:4: there is no variable b$/,
    ],
    [
      'a bad header',
      'f/common/00/_base/files/x.liquid',
      '---\nmode: yes\n---\n',
      /^machinist: role master: common\/00\/_base\/files\/x\.liquid:2: mode must be a number/,
    ],
  ])('names %s', async (_, path, text, message) => {
    const top = join(directory, path.split('/')[0]!)
    written(path, text)
    const { code, out, error } = await ran(['--controller-config', configFile, '--templates', top])
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(error.trimEnd()).toMatch(message)
    expect(error.trimEnd()).not.toContain('\n')
  })

  it('does not follow links', async () => {
    mkdirSync(join(directory, 'links'))
    symlinkSync('/etc/passwd', join(directory, 'links', 'x.liquid'))
    const args = ['--controller-config', configFile, '--templates', join(directory, 'links')]
    expect((await ran(args)).error).toMatch(/links\/x\.liquid: not a file or a directory/)
  })

  it.each<[string, string[], string, RegExp]>([
    ['no directory', ['--templates', '/nowhere'], config, /cannot read templates in \/nowhere: /],
    [
      'no ControllerConfig',
      [],
      'kind: Secret',
      /standard input: expected one ControllerConfig, found 0/,
    ],
    [
      'two ControllerConfigs',
      [],
      `${config}---${config}`,
      /expected one ControllerConfig, found 2/,
    ],
    ['no name', [], 'kind: ControllerConfig', /the ControllerConfig has no metadata\.name/],
    [
      'no spec',
      [],
      '{kind: ControllerConfig, metadata: {name: x}}',
      /the ControllerConfig has no spec/,
    ],
    [
      'an empty spec',
      [],
      '{kind: ControllerConfig, metadata: {name: x}, spec: {infra: {}}}',
      /role master: cannot generate MachineConfigs when no platformStatus\.type is set/,
    ],
    [
      'a bad pull secret',
      [],
      `${withPullSecret}---${secret.replace('{"auths"', '"TOP"')}`,
      /role master: \.dockerconfigjson of Secret openshift-config\/pull-secret is not a JSON object/,
    ],
    ['no YAML', [], 'a: [', /standard input: not valid YAML: .+ at line 1, column \d+$/m],
    [
      'an unresolved alias',
      [],
      'a: *TOP',
      /standard input: not valid YAML: Alias without a preceding anchor at line 1, column 4$/m,
    ],
  ])('reports %s as one line', async (_, args, input, message) => {
    const { code, out, error } = await ran(['--controller-config', '-', ...args], input)
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(error).toMatch(message)
    expect(error.trimEnd()).not.toContain('\n')
    expect(error).not.toContain('TOP')
  })

  it.each([[[]], [['--controller-config', configFile, '-o', 'xml']]])(
    'answers wrong use (%j) with exit code 2',
    async (args) => {
      const { code, error } = await ran(args)
      expect(code).toBe(2)
      expect(error).toMatch(/^machinist: .* \(see machinist template --help\)\n$/)
    },
  )
})
