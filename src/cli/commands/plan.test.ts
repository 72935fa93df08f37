import { describe, expect, it } from 'vitest'
import { file, machineConfig, spec } from '../../../test/planner/configs.ts'
import { InvalidInput } from '../../base/errors.ts'
import { run } from '../program.ts'

interface Ran {
  readonly code: number
  readonly out: string
  readonly error: string
}

const policyJson = '/etc/containers/policy.json'
const [old, now] = ['old', 'new'].map((content) =>
  JSON.stringify(
    machineConfig(`99-${content}`, spec({ files: [file(policyJson, `${content}\n`)] })),
  ),
) as [string, string]
const policy = (actions: object[]): object => ({ files: [{ path: policyJson, actions }] })
const configuration = (more: object): string =>
  JSON.stringify({
    apiVersion: 'operator.openshift.io/v1',
    kind: 'MachineConfiguration',
    metadata: { name: 'cluster', generation: 2 },
    ...more,
  })
const none = [{ type: 'None' }]
const reboot = [{ type: 'Reboot' }]

async function ran(files: Record<string, string>, ...args: string[]): Promise<Ran> {
  const result = { out: '', error: '' }
  const all: Record<string, string> = { old, new: now, ...files }
  const code = await run(['plan', ...args], {
    out: (text) => void (result.out += text),
    error: (text) => void (result.error += text),
    read: (path) => {
      const text = all[path]
      if (text === undefined) throw new InvalidInput(`cannot read ${path}: no such file`)
      return Promise.resolve(Buffer.from(text))
    },
    stopped: () => Promise.resolve(),
  })
  return { code, ...result }
}

const between = ['--from', 'old', '--to', 'new']
const types = ({ out }: Ran): string[] =>
  (JSON.parse(out) as { actions: { type: string }[] }).actions.map(({ type }) => type)

describe('machinist plan', () => {
  it('prints the plan as JSON', async () => {
    const { code, out, error } = await ran({}, ...between, '-o', 'json')
    expect({ code, error }).toEqual({ code: 0, error: '' })
    expect(JSON.parse(out)).toEqual({
      from: '99-old',
      to: '99-new',
      reconcilable: true,
      reasons: [],
      changes: [
        {
          kind: 'file',
          change: 'changed',
          path: '/etc/containers/policy.json',
          summary:
            '/etc/containers/policy.json changes: content from 4 bytes (sha256 01d09d19c213) to 4 bytes (sha256 7aa7a5359173); takes a reload of crio.service (default policy for /etc/containers/policy.json).',
          from: '99-new',
        },
      ],
      actions: [
        {
          type: 'Reload',
          service: 'crio.service',
          rule: 'default policy for /etc/containers/policy.json',
          because: ['/etc/containers/policy.json'],
        },
      ],
      drain: false,
      drainRule: 'nothing that is done disturbs running pods',
      reboot: false,
      steps: [
        { do: 'write-file', path: '/etc/containers/policy.json' },
        { do: 'store-config' },
        { do: 'reload', service: 'crio.service' },
      ],
      digest: '1b78e792091e',
    })
  })

  it('drains for registries.conf unless told that the cluster does not', async () => {
    const registries = (text: string): string =>
      JSON.stringify({
        apiVersion: 'machineconfiguration.openshift.io/v1',
        kind: 'MachineConfig',
        metadata: { name: '99-registries' },
        spec: {
          config: {
            ignition: { version: '3.2.0' },
            storage: {
              files: [
                {
                  path: '/etc/containers/registries.conf',
                  contents: { source: `data:,${encodeURIComponent(text)}` },
                },
              ],
            },
          },
        },
      })
    const files = {
      one: registries('unqualified-search-registries = ["a"]'),
      two: registries('unqualified-search-registries = ["b"]'),
    }
    const drain = async (...more: string[]): Promise<unknown> => {
      const { out } = await ran(files, '--from', 'one', '--to', 'two', '-o', 'json', ...more)
      return (JSON.parse(out) as { drain: boolean }).drain
    }
    expect(await drain()).toBe(true)
    expect(await drain('--no-registry-drain')).toBe(false)
  })

  it('prints it as YAML, and for people', async () => {
    expect((await ran({}, ...between, '-o', 'yaml')).out).toMatch(/^from: 99-old\nto: 99-new\n/)
    const { out } = await ran({}, ...between)
    expect(out).toMatch(/^Plan 1b78e792091e from 99-old to 99-new\n/)
    expect(out).not.toContain('\u001b')
  })

  it('reads YAML, and standard input', async () => {
    const yaml = `
apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfig
metadata: { name: 99-yaml }
spec:
  config:
    ignition: { version: 3.2.0 }
    storage: { files: [{ path: /etc/motd, mode: 0600, contents: { source: 'data:,hi' } }] }
`
    const { out } = await ran({ '-': yaml }, '--from', 'old', '--to', '-', '-o', 'json')
    expect(out).toContain('mode 0600')
  })

  it.each([
    ['4.12', ['Reload']],
    ['4.16', ['Reload']],
    ['policy', ['Reload']],
  ])('knows the rules of %s', async (rules, expected) => {
    expect(types(await ran({}, ...between, '-o', 'json', '--rules', rules))).toEqual(expected)
  })

  it.each([
    ['a bare policy', JSON.stringify(policy(none)), 'None'],
    ['a spec', configuration({ spec: { nodeDisruptionPolicy: policy(none) } }), 'None'],
    ['a spec without any', configuration({ spec: {} }), 'Reload'],
    [
      'a status',
      configuration({
        spec: { nodeDisruptionPolicy: policy(none) },
        status: {
          observedGeneration: 2,
          nodeDisruptionPolicyStatus: { clusterPolicies: policy(reboot) },
        },
      }),
      'Reboot',
    ],
    [
      'a status that is behind its spec',
      configuration({
        spec: { nodeDisruptionPolicy: policy(none) },
        status: {
          observedGeneration: 1,
          nodeDisruptionPolicyStatus: { clusterPolicies: policy(reboot) },
        },
      }),
      'None',
    ],
  ])('takes %s as policy', async (_, text, expected) => {
    const made = await ran({ policy: text }, ...between, '-o', 'json', '--policy', 'policy')
    expect(made.error).toBe('')
    expect(types(made)).toEqual([expected])
  })

  it('takes the overrides of a MachineConfiguration', async () => {
    const disks = JSON.stringify(
      machineConfig('disks', spec({ config: { storage: { disks: [{ device: '/dev/sda' }] } } })),
    )
    const overrides = { irreconcilableValidationOverrides: { storage: ['Disks'] } }
    const files = { disks, policy: configuration({ spec: overrides }) }
    const refused = await ran(files, '--from', 'old', '--to', 'disks')
    expect(refused.code).toBe(1)
    const through = await ran(files, '--from', 'old', '--to', 'disks', '--policy', 'policy')
    expect(through.code).toBe(0)
    expect(through.out).toContain('storage.disks differs; only new nodes take it over')
  })

  it('prints the plan and fails where it cannot be applied', async () => {
    const files = { fips: JSON.stringify(machineConfig('fips', { fips: true })) }
    const { code, out, error } = await ran(files, '--from', 'old', '--to', 'fips')
    expect(code).toBe(1)
    expect(error).toBe(
      "machinist: can't reconcile config 99-old with fips: detected change to FIPS flag (off → on); refusing to modify FIPS on a running cluster\n",
    )
    expect(out).toContain('Cannot be applied\n  ✗ detected change to FIPS flag')
    expect(out).toMatch(/a running node cannot take this over\.\n$/)
  })

  it.each([
    ['no file', {}, ['--from', 'old', '--to', 'nowhere'], 'cannot read nowhere: no such file'],
    [
      'no YAML',
      { bad: 'a: [' },
      ['--from', 'old', '--to', 'bad'],
      /^machinist: bad: not valid YAML: .*\n$/,
    ],
    [
      'another kind',
      { bad: '{"kind":"ConfigMap"}' },
      ['--from', 'bad', '--to', 'new'],
      'bad: is a ConfigMap where a MachineConfig was expected',
    ],
    ['nothing', { bad: '' }, ['--from', 'bad', '--to', 'new'], 'bad: holds no MachineConfig'],
    [
      'no name',
      { bad: '{"kind":"MachineConfig"}' },
      ['--from', 'bad', '--to', 'new'],
      'bad: the MachineConfig has no metadata.name',
    ],
    [
      'a policy that the API would refuse',
      { policy: JSON.stringify(policy([...none, ...reboot])) },
      [...between, '--policy', 'policy'],
      'policy: files[0].actions Reboot must be the only action; files[0].actions None must be the only action',
    ],
    [
      'overrides that nobody knows',
      {
        policy: configuration({ spec: { irreconcilableValidationOverrides: { storage: ['X'] } } }),
      },
      [...between, '--policy', 'policy'],
      'policy: spec.irreconcilableValidationOverrides.storage has to be a list of Disks, FileSystems, Raid',
    ],
  ])('answers bad input (%s) with one line', async (_, files, args, message) => {
    const { code, out, error } = await ran(files, ...args)
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(error).toMatch(typeof message === 'string' ? `machinist: ${message}\n` : message)
    expect(error.trimEnd()).not.toContain('\n')
  })

  it.each([
    [['--from', 'old']],
    [[...between, '-o', 'xml']],
    [[...between, '--rules', '4.13']],
    [['--from', '-', '--to', '-']],
    [[...between, '--rules', '4.12', '--policy', 'x']],
  ])('answers wrong use (%j) with exit code 2', async (args) => {
    const { code, out, error } = await ran({}, ...args)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(error).toMatch(/^machinist: .* \(see machinist plan --help\)\n$/)
  })
})
