import { describe, expect, it } from 'vitest'
import { InvalidInput } from '@machinist/core/errors'
import { file, machineConfig, spec } from '../../../planner/configs.fixture.ts'
import { run } from '../../program.ts'

interface Ran {
  readonly code: number
  readonly out: string
  readonly error: string
}

const policyJson = '/etc/containers/policy.json'
const [old, now] = ['old', 'new'].map((content) =>
  JSON.stringify(
    machineConfig(
      `rendered-worker-${content}`,
      spec({ files: [file(policyJson, `${content}\n`)] }),
    ),
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

const assumed =
  'machinist: no --policy: the default policies decide about drains and reboots; for the policies of your cluster, save the output of "kubectl get machineconfiguration cluster -o yaml" and pass it with --policy\n'

describe('machinist plan', () => {
  const motd = (text: string): string =>
    JSON.stringify(machineConfig('99-motd', spec({ files: [file('/etc/motd', text)] })))

  it.each([
    ['--from', 'old', '--to', 'plain'],
    ['--from', 'plain', '--to', 'new'],
  ])('rejects a MachineConfig that is not rendered: %s %s %s %s', async (...args) => {
    const { code, out, error } = await ran({ plain: motd('a') }, ...args)
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(error).toBe(
      'machinist: MachineConfig 99-motd is not a rendered config. A node gets all MachineConfigs of its pool merged into one, so render it with the others first: kubectl get mc,mcp,controllerconfig -o yaml >dump.yaml; machinist render --pool POOL -f dump.yaml FILE >rendered.yaml; then plan with rendered.yaml\n',
    )
  })

  it('compares two versions of one MachineConfig, with a note', async () => {
    const files = { a: motd('a'), b: motd('b'), policy: '{}' }
    const { code, error } = await ran(files, '--from', 'a', '--to', 'b', '--policy', 'policy')
    expect({ code, error }).toEqual({
      code: 0,
      error:
        'machinist: comparing two versions of MachineConfig 99-motd only; other MachineConfigs of its pool can override it. Use "machinist render" for the config that nodes get\n',
    })
  })

  it('accepts a config owned by a pool as rendered, with any name', async () => {
    const metadata = {
      name: 'custom',
      ownerReferences: [
        {
          apiVersion: 'machineconfiguration.openshift.io/v1',
          kind: 'MachineConfigPool',
          name: 'worker',
          uid: 'u',
          controller: true,
        },
      ],
    }
    const files = { owned: JSON.stringify({ ...(JSON.parse(motd('a')) as object), metadata }) }
    expect((await ran(files, '--from', 'old', '--to', 'owned')).code).toBe(0)
  })

  it('warns about ignored fields of the new config', async () => {
    const lost = { path: '/etc/hello', contents: { inline: 'hello' } }
    const config = { ignition: { version: '3.2.0' }, storage: { files: [lost] } }
    const files = { lost: JSON.stringify(machineConfig('rendered-worker-lost', { config })) }
    const { error } = await ran(files, '--from', 'old', '--to', 'lost')
    expect(error).toBe(
      `machinist: warning: MachineConfig rendered-worker-lost: spec.config.storage.files[0].contents.inline is ignored: the spec has no such key here; this is Butane syntax, not Ignition: convert the file with butane, or write "source": "data:," followed by the URL-encoded text\n${assumed}`,
    )
  })

  it('prints the plan as JSON', async () => {
    const { code, out, error } = await ran({}, ...between, '-o', 'json')
    expect({ code, error }).toEqual({ code: 0, error: assumed })
    expect(JSON.parse(out)).toEqual({
      from: 'rendered-worker-old',
      to: 'rendered-worker-new',
      reconcilable: true,
      reasons: [],
      changes: [
        {
          kind: 'file',
          change: 'changed',
          path: '/etc/containers/policy.json',
          summary:
            '/etc/containers/policy.json changes: content from 4 bytes (sha256 01d09d19c213) to 4 bytes (sha256 7aa7a5359173); requires a reload of crio.service (default policy for /etc/containers/policy.json).',
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
      drainRule: 'no action disrupts running pods',
      reboot: false,
      steps: [
        { do: 'write-file', path: '/etc/containers/policy.json' },
        { do: 'store-config' },
        { do: 'reload', service: 'crio.service' },
      ],
      digest: 'f6bc6a8c4398',
    })
  })

  it('drains for registries.conf unless --no-registry-drain is given', async () => {
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

  it('prints YAML and text', async () => {
    expect((await ran({}, ...between, '-o', 'yaml')).out).toMatch(
      /^from: rendered-worker-old\nto: rendered-worker-new\n/,
    )
    const { out } = await ran({}, ...between)
    expect(out).toMatch(/^Plan f6bc6a8c4398 from rendered-worker-old to rendered-worker-new\n/)
    expect(out).not.toContain('\u001b')
  })

  it('reads YAML and standard input', async () => {
    const yaml = `
apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfig
metadata: { name: rendered-worker-yaml }
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
  ])('applies the rules of %s', async (rules, expected) => {
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
  ])('reads %s as policy', async (_, text, expected) => {
    const printed = await ran({ policy: text }, ...between, '-o', 'json', '--policy', 'policy')
    expect(printed.error).toBe('')
    expect(types(printed)).toEqual([expected])
  })

  it('applies the overrides of a MachineConfiguration', async () => {
    const disks = JSON.stringify(
      machineConfig(
        'rendered-worker-disks',
        spec({ config: { storage: { disks: [{ device: '/dev/sda' }] } } }),
      ),
    )
    const overrides = { irreconcilableValidationOverrides: { storage: ['Disks'] } }
    const files = { disks, policy: configuration({ spec: overrides }) }
    const refused = await ran(files, '--from', 'old', '--to', 'disks')
    expect(refused.code).toBe(1)
    const through = await ran(files, '--from', 'old', '--to', 'disks', '--policy', 'policy')
    expect(through.code).toBe(0)
    expect(through.out).toContain('storage.disks differs; the change applies to new nodes only')
  })

  it('prints the plan and fails if it cannot be applied', async () => {
    const files = { fips: JSON.stringify(machineConfig('rendered-worker-fips', { fips: true })) }
    const { code, out, error } = await ran(files, '--from', 'old', '--to', 'fips')
    expect(code).toBe(1)
    expect(error).toBe(
      assumed +
        "machinist: can't reconcile config rendered-worker-old with rendered-worker-fips: detected change to FIPS flag (off → on); refusing to modify FIPS on a running cluster\n",
    )
    expect(out).toContain('Cannot be applied\n  ✗ detected change to FIPS flag')
    expect(out).toMatch(/a running node cannot apply this\.\n$/)
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
      'bad: expected a MachineConfig, found a ConfigMap',
    ],
    ['nothing', { bad: '' }, ['--from', 'bad', '--to', 'new'], 'bad: contains no MachineConfig'],
    [
      'no name',
      { bad: '{"kind":"MachineConfig"}' },
      ['--from', 'bad', '--to', 'new'],
      'bad: the MachineConfig has no metadata.name',
    ],
    [
      'a policy that the API would reject',
      { policy: JSON.stringify(policy([...none, ...reboot])) },
      [...between, '--policy', 'policy'],
      'policy: files[0].actions Reboot must be the only action; files[0].actions None must be the only action',
    ],
    [
      'unknown overrides',
      {
        policy: configuration({ spec: { irreconcilableValidationOverrides: { storage: ['X'] } } }),
      },
      [...between, '--policy', 'policy'],
      'policy: spec.irreconcilableValidationOverrides.storage must be a list of Disks, FileSystems, Raid',
    ],
  ])('reports bad input (%s) as one line', async (_, files, args, message) => {
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
  ])('reports wrong use (%j) with exit code 2', async (args) => {
    const { code, out, error } = await ran({}, ...args)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(error).toMatch(/^machinist: .* \(see machinist plan --help\)\n$/)
  })
})
