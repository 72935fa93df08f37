import { describe, expect, it } from 'vitest'
import type { Condition } from '@machinist/core/objects/resource'
import { fileWith, ignition, inputOf } from '../../fleet/render/render-inputs.fixture.ts'
import type { MachineConfigSpec } from '../../api/kinds/machine-config.ts'
import type { ControllerConfig, KubeletConfig, MachineConfig } from '../../api/kinds/resources.ts'
import { renderInputs } from '../../fleet/render/renderer.ts'
import type { CheckedRender } from './checked-render.ts'
import { renderChecked } from './checked-render.ts'
import type { NodeSettings, PoolRenderFacts } from './facts.ts'
import { holdIn } from './hold.ts'

const conditions = (running: string, completed: string, failing: string): Condition[] =>
  Object.entries({ Running: running, Completed: completed, Failing: failing }).map(
    ([type, status]) =>
      ({ type: `TemplateController${type}`, status, message: 'file x, line 3' }) as Condition,
  )

function controllerConfig(
  more: Partial<ControllerConfig> = {},
  version = '1.2.3',
): ControllerConfig {
  return {
    metadata: {
      name: 'machine-config-controller',
      generation: 2,
      annotations: { 'machineconfiguration.openshift.io/generated-by-version': version },
    },
    spec: { baseOSContainerImage: 'os' } as ControllerConfig['spec'],
    status: { observedGeneration: 2, conditions: conditions('False', 'True', 'False') },
    ...more,
  }
}

const poolOfWorkers: PoolRenderFacts['pool'] = {
  metadata: { name: 'worker' },
  spec: {
    machineConfigSelector: {
      matchLabels: { 'machineconfiguration.openshift.io/role': 'worker' },
    },
  },
}

function factsWith(more: Partial<PoolRenderFacts> = {}): PoolRenderFacts {
  return {
    pool: {
      metadata: { name: 'worker' },
      spec: { machineConfigSelector: { matchLabels: { a: 'b' } } },
    },
    controllerConfig: controllerConfig(),
    nodeSettings: [],
    fromTemplates: [],
    inputs: [inputOf('00-a', fileWith('/etc/motd', 'a'))],
    inUse: [],
    foreignInputs: [],
    foreignConfigs: [],
    overrides: [],
    maker: { version: '1.2.3', build: '2' },
    release: 'main',
    ...more,
  }
}

const decided = (more: Partial<PoolRenderFacts> = {}): CheckedRender =>
  renderChecked(factsWith(more), (...merged) => renderInputs(...merged, more.release))
const blockedBy = (more: Partial<PoolRenderFacts>): string => {
  const decision = decided(more)
  return decision.type === 'blocked' ? decision.check : 'not blocked'
}
const messageOf = (more: Partial<PoolRenderFacts>): string => {
  const decision = decided(more)
  return decision.type === 'blocked' ? decision.block.message : 'not blocked'
}
const settings = (status: KubeletConfig['status'], isGenerated = false): NodeSettings => ({
  kind: 'KubeletConfig',
  isGenerated,
  object: {
    metadata: { name: 'more-pods', generation: 3 },
    spec: {},
    ...(status && { status }),
  },
})

describe('rendering is blocked by', () => {
  it('nothing if all checks pass', () => {
    expect(decided()).toMatchObject({ type: 'rendered', rendered: { spec: { osImageURL: 'os' } } })
  })

  it.each<[string, Partial<PoolRenderFacts>, boolean]>([
    ['selectorIsValid', { selectorProblem: 'a: Nope is not one of In', inputs: [] }, false],
    [
      'selectsNotEverything',
      { pool: { metadata: { name: 'p' }, spec: { machineConfigSelector: {} } } },
      false,
    ],
    ['controllerConfigExists', { controllerConfig: undefined }, true],
    ['controllerConfigHasOwnVersion', { controllerConfig: controllerConfig({}, '9') }, true],
    ['controllerConfigHasOwnVersion', { controllerConfig: controllerConfig({}, '') }, true],
    ['templatesAreDone', { controllerConfig: controllerConfig({ status: {} }) }, true],
    [
      'templatesAreDone',
      {
        controllerConfig: controllerConfig({
          status: { observedGeneration: 1, conditions: conditions('False', 'True', 'False') },
        }),
      },
      true,
    ],
    [
      'templatesAreDone',
      {
        controllerConfig: controllerConfig({
          status: { observedGeneration: 2, conditions: conditions('True', 'True', 'False') },
        }),
      },
      true,
    ],
    [
      'templatesSucceeded',
      {
        controllerConfig: controllerConfig({
          status: { observedGeneration: 2, conditions: conditions('False', 'False', 'True') },
        }),
      },
      false,
    ],
    [
      'templatesAreSeen',
      {
        pool: poolOfWorkers,
        controllerConfig: controllerConfig({
          metadata: {
            ...controllerConfig().metadata,
            annotations: {
              ...controllerConfig().metadata.annotations,
              'machinist.dev/templates.worker': '{"00-worker":"0"}',
            },
          },
        }),
      },
      true,
    ],
    ['nodeSettingsAreDone', { nodeSettings: [settings(undefined)] }, true],
    ['nodeSettingsAreDone', { nodeSettings: [settings({ observedGeneration: 3 })] }, true],
    [
      'nodeSettingsAreDone',
      {
        nodeSettings: [
          settings({
            observedGeneration: 3,
            conditions: [{ type: 'Failure', status: 'False', message: 'bad' }],
          }),
        ],
      },
      false,
    ],
    ['somethingIsSelected', { inputs: [] }, false],
    ['inputsHaveOwnBuild', { inputs: [{ ...inputOf('00-a'), generatedBy: '1' }] }, true],
    ['inputsAreValid', { inputs: [inputOf('00-a', { kernelType: 'turbo' })] }, false],
    [
      'mergedIsValid',
      {
        inputs: [
          inputOf('a', { kernelType: 'realtime' }),
          inputOf('b', { extensions: ['kernel-devel'] }),
        ],
      },
      false,
    ],
    ['fitsIntoOneObject', { inputs: [inputOf('a', fileWith('/x', 'x'.repeat(1_600_000)))] }, false],
  ])('%s', (check, more, waiting) => {
    expect(decided(more)).toMatchObject({ type: 'blocked', check, block: { waiting } })
  })

  it('a named object', () => {
    expect(messageOf({ inputs: [{ ...inputOf('00-a'), generatedBy: '1' }] })).toBe(
      'waits for MachineConfig 00-a to be generated again: it has controller build 1, and this is 2; if this persists, no controller generates it any more: delete it, or remove its annotation machineconfiguration.openshift.io/generated-by-controller-version to keep it',
    )
    const stale = { ...inputOf('00-a'), generatedBy: '1', madeFrom: 'KubeletConfig more-pods' }
    expect(messageOf({ inputs: [stale] })).toBe(
      'waits for MachineConfig 00-a to be generated again: it has controller build 1, and this is 2; if this persists, see the status of KubeletConfig more-pods, from which it is generated',
    )
    expect(messageOf({ nodeSettings: [settings(undefined)] })).toContain('KubeletConfig more-pods')
    expect(messageOf({ inputs: [] })).toBe(
      'no MachineConfigs found matching selector {"matchLabels":{"a":"b"}}',
    )
    const failing = { observedGeneration: 2, conditions: conditions('False', 'False', 'True') }
    expect(messageOf({ controllerConfig: controllerConfig({ status: failing }) })).toBe(
      'the templates of ControllerConfig machine-config-controller failed: file x, line 3',
    )
  })

  it('neither finished settings nor MachineConfigs of users', () => {
    const success = {
      observedGeneration: 3,
      conditions: [{ type: 'Success', status: 'True' as const }],
    }
    const accepted = {
      observedGeneration: 3,
      conditions: [{ type: 'Accepted', status: 'True' as const }],
    }
    expect(blockedBy({ nodeSettings: [settings(success, true), settings(accepted, true)] })).toBe(
      'not blocked',
    )
    const failure = {
      observedGeneration: 3,
      conditions: [{ type: 'Failure', status: 'True' as const, message: 'pool master: bad' }],
    }
    expect(blockedBy({ nodeSettings: [settings(failure, true)] })).toBe('not blocked')
    // It succeeded for other pools before this one matched.
    expect(messageOf({ nodeSettings: [settings(success)] })).toBe(
      'waits for KubeletConfig more-pods, which selects this pool and has no MachineConfig yet',
    )
    expect(blockedBy({ inputs: [inputOf('user'), { ...inputOf('00-a'), generatedBy: '2' }] })).toBe(
      'not blocked',
    )
  })

  it('an OS image in addition to an OS image stream', () => {
    const pool = factsWith().pool
    const streamed = { ...pool, spec: { ...pool.spec, osImageStream: { name: 'rhel-10' } } }
    expect(blockedBy({ pool: streamed })).toBe('not blocked')
    expect(messageOf({ pool: streamed, inputs: [inputOf('99-os', { osImageURL: 'mine' })] })).toBe(
      'MachineConfig 99-os sets osImageURL mine, but the pool follows the OS image stream rhel-10; remove one of the two',
    )
  })
})

it('names the largest files of a config that is too large, with their MachineConfigs', () => {
  const inputs = [
    inputOf('50-small', fileWith('/etc/small', 'x')),
    inputOf('60-large', fileWith('/etc/large', 'x'.repeat(1_600_000))),
  ]
  expect(messageOf({ inputs })).toContain(
    'Largest files: /etc/large (1600006, from MachineConfig 60-large), /etc/small (7, from MachineConfig 50-small). Compress',
  )
})

describe('a change that running nodes cannot apply', () => {
  const inUse = (spec: MachineConfigSpec): MachineConfig[] => [
    { metadata: { name: 'rendered-old' }, spec },
  ]
  const change = (
    before: MachineConfigSpec,
    after: MachineConfigSpec,
    more: Partial<PoolRenderFacts> = {},
  ): string => blockedBy({ inUse: inUse(before), inputs: [inputOf('99-x', after)], ...more })
  const storage = (parts: object): MachineConfigSpec => ignition({ storage: parts })
  const core = (...users: object[]): MachineConfigSpec => ignition({ passwd: { users } })
  const rejected = 'runningNodesCanApplyIt'
  const link = { path: '/l', target: '/t' }

  it.each<[string, MachineConfigSpec, MachineConfigSpec, string]>([
    ['the same', fileWith('/a', 'a'), fileWith('/a', 'a'), 'not blocked'],
    ['disks', {}, storage({ disks: [{ device: '/dev/sdb' }] }), rejected],
    [
      'file systems',
      {},
      storage({ filesystems: [{ device: '/dev/sdb', format: 'xfs', path: '/x' }] }),
      rejected,
    ],
    [
      'raid',
      {},
      storage({ raid: [{ name: 'r', level: 'raid1', devices: ['/a', '/b'] }] }),
      rejected,
    ],
    ['groups', {}, ignition({ passwd: { groups: [{ name: 'g' }] } }), rejected],
    [
      'Ignition kernel arguments',
      {},
      ignition({ kernelArguments: { shouldExist: ['x'] } }, '3.3.0'),
      rejected,
    ],
    ['FIPS', {}, { fips: true }, rejected],
    ['files', fileWith('/a', 'a'), fileWith('/b', 'b'), 'not blocked'],
    [
      'appended files',
      {},
      storage({ files: [{ path: '/a', append: [{ source: 'data:,x' }] }] }),
      rejected,
    ],
    ['a new link', {}, storage({ links: [link] }), rejected],
    [
      'a link that leads elsewhere',
      storage({ links: [link] }),
      storage({ links: [{ ...link, target: '/u' }] }),
      rejected,
    ],
    [
      'LUKS',
      {},
      storage({
        luks: [
          {
            name: 'l',
            device: '/dev/sdb',
            clevis: { tang: [{ url: 'https://t', thumbprint: 'x' }] },
          },
        ],
      }),
      'not blocked',
    ],
    [
      'units',
      ignition({ systemd: { units: [{ name: 'a.service', enabled: true }] } }),
      ignition({ systemd: { units: [{ name: 'a.service', enabled: false }] } }),
      'not blocked',
    ],
    ['the force file', {}, fileWith('/run/machine-config-daemon-force', ''), rejected],
    [
      'core without keys and password',
      core({ name: 'core', sshAuthorizedKeys: ['1'] }),
      core({ name: 'core', sshAuthorizedKeys: [] }),
      rejected,
    ],
    ['a link that is gone', storage({ links: [link] }), {}, 'not blocked'],
    [
      'other keys',
      core({ name: 'core', sshAuthorizedKeys: ['1234'] }),
      core({ name: 'core', sshAuthorizedKeys: ['5678', 'abc'] }),
      'not blocked',
    ],
    ['another user', core({ name: 'core' }), core({ name: 'another user' }), rejected],
    [
      'core with a home',
      core({ name: 'core', sshAuthorizedKeys: ['1'] }),
      core({ name: 'core', homeDir: '/x', sshAuthorizedKeys: ['1'] }),
      rejected,
    ],
    [
      'a second user',
      core({ name: 'core', sshAuthorizedKeys: ['1'] }),
      core({ name: 'core', sshAuthorizedKeys: ['1'] }, { name: 'b' }),
      rejected,
    ],
    ['no users', core({ name: 'core', sshAuthorizedKeys: ['1'] }), {}, 'not blocked'],
  ])('%s', (_, before, after, check) => {
    expect(change(before, after)).toBe(check)
  })

  it('can be allowed for storage, and is not checked in 4.12', () => {
    const disks = storage({ disks: [{ device: '/dev/sdb' }] })
    expect(change({}, disks, { overrides: ['Disks'] })).toBe('not blocked')
    const filesystems = storage({
      filesystems: [{ device: '/dev/sdb', format: 'xfs', path: '/x' }],
    })
    expect(change({}, filesystems, { overrides: ['FileSystems'] })).toBe('not blocked')
    const raid = storage({ raid: [{ name: 'r', level: 'raid1', devices: ['/a', '/b'] }] })
    expect(change({}, raid, { overrides: ['Raid'] })).toBe('not blocked')
    expect(change({}, disks, { overrides: ['Raid'] })).toBe(rejected)
    expect(change({}, disks, { release: '4.12' })).toBe('not blocked')
  })

  it('is not checked for a pool without a config', () => {
    expect(blockedBy({ inputs: [inputOf('a', { fips: true })] })).toBe('not blocked')
  })

  it('is checked for the current and the desired config', () => {
    const good = { metadata: { name: 'rendered-good' }, spec: { fips: true } }
    const old = { metadata: { name: 'rendered-old' }, spec: {} }
    const message = messageOf({ inUse: [good, old], inputs: [inputOf('99-fips', { fips: true })] })
    expect(message).toBe(
      'nodes in rendered-old cannot apply the new config: detected change to FIPS flag (off → on); refusing to modify FIPS on a running cluster (from 99-fips)',
    )
  })

  it('is allowed as a return to a config in use', () => {
    const back = [inputOf('99-x', { fips: true })]
    const { name } = renderInputs('worker', back, {
      osImageURL: 'os',
      baseOSExtensionsContainerImage: '',
    })
    const before = { metadata: { name }, spec: { fips: true } }
    const bad = { metadata: { name: 'rendered-bad' }, spec: {} }
    expect(blockedBy({ inUse: [before, bad], inputs: back })).toBe('not blocked')
  })

  it('is reported with its MachineConfigs', () => {
    const inputs = [
      inputOf('00-worker', fileWith('/etc/ok', 'x')),
      inputOf('50-disks', storage({ disks: [{ device: '/dev/sdb' }] })),
      inputOf(
        '60-append',
        storage({ files: [{ path: '/etc/a', append: [{ source: 'data:,x' }] }] }),
      ),
    ]
    expect(messageOf({ inUse: inUse({}), inputs })).toBe(
      'nodes in rendered-old cannot apply the new config: ignition disks section contains changes: disks are partitioned only on first boot (from 50-disks); ignition file /etc/a includes append, which is not supported on a running node (from 60-append)',
    )
  })
})

describe('a pool whose nodes another controller configured', () => {
  const generatedBy = 'machineconfiguration.openshift.io/generated-by-controller-version'
  const commit = '5b1f0b4a6ac05bb0ee5a3f35ec2d0d9bfda9a0a6'
  const byMco = (name: string, text: string): MachineConfig => ({
    metadata: { name, annotations: { [generatedBy]: commit } },
    spec: { ...fileWith('/etc/motd', text), osImageURL: 'os' },
  })
  const rendered = byMco('rendered-worker-mco', 'theirs')
  const holdWith = (more: Partial<PoolRenderFacts>) =>
    holdIn(factsWith(more), (...merged) => renderInputs(...merged))

  it('is held before any check while it selects templates of that controller', () => {
    const foreignInputs = [byMco('00-worker', 'theirs')]
    const adoptedInputs = [
      inputOf('00-worker', { ...fileWith('/etc/motd', 'ours'), osImageURL: 'os' }),
    ]
    const facts = { foreignInputs, foreignConfigs: [rendered], controllerConfig: undefined }
    const hold = { config: 'rendered-worker-mco', maker: `MCO (controller build ${commit})` }
    expect(holdWith(facts)).toEqual(hold)
    expect(holdWith({ ...facts, adoptedInputs })).toEqual({
      ...hold,
      plan: '1 file changed; the node is drained and reboots',
    })
  })

  it('is held if the content differs, and rendered if it does not', () => {
    expect(holdWith({ foreignConfigs: [rendered] })?.config).toBe('rendered-worker-mco')
    expect(holdWith({ foreignConfigs: [byMco('rendered-worker-mco', 'a')] })).toBeUndefined()
  })
})
