import { describe, expect, it } from 'vitest'
import type { KubeletConfig, MachineConfig, MachineConfigPool } from '../../api/kinds/resources.ts'
import { kubeletConfigs } from '../../api/kinds/resources.ts'
import type { NodeSettingsPlan } from './decide.ts'
import { decide } from './decide.ts'
import type { PoolContext } from './facts.ts'
import { poolSettings } from './pool-settings.ts'

const role = 'machineconfiguration.openshift.io/role'
const generatedBy = 'machineconfiguration.openshift.io/generated-by-controller-version'
const suffix = 'machineconfiguration.openshift.io/mc-name-suffix'

const pool = (name: string, ...roles: string[]): MachineConfigPool => ({
  metadata: {
    name,
    uid: `0a1b2c3d-0000-0000-0000-00000000000${name.length}`,
    labels: { [name]: '' },
  },
  spec: {
    machineConfigSelector: {
      matchExpressions: [{ key: role, operator: 'In', values: [name, ...roles] }],
    },
  },
})

const master = pool('master')
const worker = pool('worker')
const infra = pool('infra', 'worker')

interface GivenObject extends Partial<KubeletConfig['metadata']> {
  pools: string[]
  maxPods?: number
}

const object = (name: string, { pools, maxPods = 1, ...metadata }: GivenObject): KubeletConfig => ({
  metadata: { name, uid: `uid-of-${name}`, creationTimestamp: '2026-01-01T00:00:00Z', ...metadata },
  spec: {
    machineConfigPoolSelector: {
      matchExpressions: pools.map((key) => ({ key, operator: 'Exists' })),
    },
    kubeletConfig: { maxPods },
  },
})
/** Adds a label that all pools share, beside the label of each pool. */
const everywhere = (one: MachineConfigPool): MachineConfigPool => ({
  ...one,
  metadata: { ...one.metadata, labels: { ...one.metadata.labels, all: '' } },
})

const machineConfig = (
  name: string,
  build: string | undefined,
  owner?: string,
  pool = name.split('-')[1]!,
): MachineConfig => ({
  metadata: {
    name,
    labels: { [role]: pool },
    ...(build && { annotations: { [generatedBy]: build } }),
    ...(owner && {
      ownerReferences: [
        {
          apiVersion: 'machineconfiguration.openshift.io/v1',
          kind: 'KubeletConfig',
          name: owner,
          uid: `uid-of-${owner}`,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    }),
  },
})

interface Context {
  readonly base: number
}
const maxPodsOf = ({ spec }: KubeletConfig): number =>
  (spec.kubeletConfig as { maxPods: number }).maxPods

const kind = {
  resource: kubeletConfigs,
  noun: 'kubelet config',
  part: 'generated-kubelet',
  deprecatedPart: 'kubelet',
  problems: (one: KubeletConfig, { name }: { name: string }): string[] =>
    maxPodsOf(one) < 0 || (name === 'infra' && maxPodsOf(one) === 13)
      ? [`maxPods ${maxPodsOf(one)}`]
      : [],
  merge: (all: readonly KubeletConfig[], _: unknown, { base }: Context) => ({
    spec: { config: [base, ...all.map(maxPodsOf)] },
  }),
  fields: (one: KubeletConfig) => new Map([['maxPods', String(maxPodsOf(one))]]),
}

interface Given {
  pools?: MachineConfigPool[]
  stored?: MachineConfig[]
  contexts?: Record<string, PoolContext<Context>>
}

function planFor(
  name: string,
  objects: KubeletConfig[],
  { pools = [master, worker, infra], stored = [], contexts = {} }: Given = {},
): NodeSettingsPlan {
  const one = objects.find(({ metadata }) => metadata.name === name)!
  const all = pools.map(poolSettings)
  const owns = ({ metadata }: MachineConfig): boolean =>
    metadata.ownerReferences?.[0]?.uid === one.metadata.uid
  const known = all.map((each): [string, PoolContext<Context>] => [
    each.name,
    contexts[each.name] ?? { context: { base: 0 } },
  ])
  return decide(
    {
      object: one,
      objects,
      pools: all,
      contexts: new Map(known),
      stored: new Map(stored.map((each) => [each.metadata.name, each])),
      made: stored.filter(owns),
      maker: { version: '1', build: 'machinist-new' },
    },
    kind,
  )
}

const names = (all: readonly { metadata: { name: string } }[]): string[] =>
  all.map(({ metadata }) => metadata.name)
const contents = ({ desired }: NodeSettingsPlan): unknown[] =>
  desired.map(({ spec }) => spec?.config)

describe('the plan for an object', () => {
  it('is a MachineConfig for its pool, named, labelled and owned', () => {
    const plan = planFor('a', [object('a', { pools: ['worker'] })])
    expect(plan).toEqual({
      suffix: 0,
      desired: [
        {
          apiVersion: 'machineconfiguration.openshift.io/v1',
          kind: 'MachineConfig',
          metadata: {
            name: '99-worker-generated-kubelet',
            labels: { [role]: 'worker' },
            annotations: {
              [generatedBy]: 'machinist-new',
              'machinist.dev/settings-generation': '0',
            },
            ownerReferences: [
              {
                apiVersion: 'machineconfiguration.openshift.io/v1',
                kind: 'KubeletConfig',
                name: 'a',
                uid: 'uid-of-a',
                controller: true,
                blockOwnerDeletion: true,
              },
            ],
          },
          spec: { config: [0, 1] },
        },
      ],
      stale: [],
      finalizers: ['99-worker-generated-kubelet'],
      uncertain: [],
      failures: [],
      waits: [],
      overridden: [],
    })
  })

  it('keeps the suffix of an object without annotation', () => {
    const finalizers = ['99-master-generated-kubelet']
    const older = object('older', { pools: ['master'], finalizers })
    const newer = object('newer', { pools: ['master'], annotations: { [suffix]: '1' } })
    const plan = planFor('older', [older, newer])
    expect(plan.suffix).toBe(0)
    expect(names(plan.desired)).toEqual(['99-master-generated-kubelet'])
    expect(plan.finalizers).toEqual(['99-master-generated-kubelet'])
  })

  it('gives the second object of a pool the next suffix, and merges it with the first', () => {
    const first = object('first', { pools: ['worker'], maxPods: 5, annotations: { [suffix]: '' } })
    const second = object('second', { pools: ['worker'], maxPods: 7 })
    const plan = planFor('second', [first, second])
    expect(names(plan.desired)).toEqual(['99-worker-generated-kubelet-1'])
    expect(contents(plan)).toEqual([[0, 5, 7]])
    expect(planFor('first', [first, second]).overridden).toEqual([
      { pool: 'worker', field: 'maxPods', value: '5', by: 'second', byValue: '7' },
    ])
  })

  it('lets a custom pool inherit the objects of the worker pool', () => {
    const theirs = object('theirs', { pools: ['worker'], maxPods: 5 })
    const own = object('own', { pools: ['infra'], maxPods: 7 })
    const plan = planFor('own', [theirs, own])
    expect(names(plan.desired)).toEqual(['99-infra-generated-kubelet'])
    expect(contents(plan)).toEqual([[0, 5, 7]])
    expect(planFor('theirs', [theirs, own]).overridden).toEqual([])
  })

  it('has a MachineConfig for each pool, also if the first is up to date', () => {
    const pools = [master, worker].map(everywhere)
    const one = object('a', { pools: ['all'], annotations: { [suffix]: '' } })
    const first = planFor('a', [one], { pools })
    const stored = [
      first.desired[0]!,
      machineConfig('99-worker-generated-kubelet', 'machinist-old', 'a'),
    ]
    const plan = planFor('a', [one], { pools, stored })
    expect(names(plan.desired)).toEqual([
      '99-master-generated-kubelet',
      '99-worker-generated-kubelet',
    ])
    expect(plan.stale).toEqual([])
  })

  it('keeps the MachineConfig of a pool with a problem', () => {
    const pools = [worker, infra].map(everywhere)
    const finalizers = ['example.com/hold', '99-infra-generated-kubelet']
    const one = object('a', { pools: ['all'], maxPods: 13, finalizers })
    const stored = [machineConfig('99-infra-generated-kubelet', 'machinist-old', 'a')]
    const plan = planFor('a', [one], { pools, stored })
    expect(names(plan.desired)).toEqual(['99-worker-generated-kubelet'])
    expect(plan.failures).toEqual([{ pool: 'infra', reason: 'BadSettings', message: 'maxPods 13' }])
    expect(plan.stale).toEqual([])
    expect(plan.finalizers).toEqual([
      'example.com/hold',
      '99-infra-generated-kubelet',
      '99-worker-generated-kubelet',
    ])
  })

  it('excludes invalid objects from the merge', () => {
    const bad = object('bad', { pools: ['worker'], maxPods: -1, annotations: { [suffix]: '' } })
    const good = object('good', { pools: ['worker'], maxPods: 7, annotations: { [suffix]: '1' } })
    expect(contents(planFor('good', [bad, good]))).toEqual([[0, 7]])
  })

  it('excludes objects that are being deleted, whose suffix stays taken', () => {
    const deletionTimestamp = '2026-02-01T00:00:00Z'
    const annotations = { [suffix]: '' }
    const gone = object('gone', { pools: ['worker'], maxPods: 5, deletionTimestamp, annotations })
    const plan = planFor('new', [gone, object('new', { pools: ['worker'], maxPods: 7 })])
    expect(names(plan.desired)).toEqual(['99-worker-generated-kubelet-1'])
    expect(contents(plan)).toEqual([[0, 7]])
  })

  it('deletes everything of an object that is being deleted, except what another controller generated', () => {
    const theirs = '99-infra-generated-kubelet'
    const finalizers = [
      'example.com/hold',
      theirs,
      '99-worker-generated-kubelet',
      '99-a-generated-kubelet',
    ]
    const deletionTimestamp = '2026-02-01T00:00:00Z'
    const one = object('a', { pools: ['infra', 'worker'], finalizers, deletionTimestamp })
    const stored = [
      machineConfig(theirs, '5b1f0b4a6ac05bb0ee5a3f35ec2d0d9bfda9a0a6', 'a'),
      machineConfig('99-worker-generated-kubelet', 'machinist-new', 'a'),
      machineConfig('99-master-generated-kubelet', 'machinist-new', 'b'),
    ]
    const plan = planFor('a', [one], { stored })
    expect(plan).toMatchObject({ suffix: undefined, desired: [], failures: [], waits: [] })
    expect(names(plan.stale)).toEqual([theirs, '99-worker-generated-kubelet'])
    expect(plan.finalizers).toEqual(['example.com/hold', theirs])
  })

  it('deletes MachineConfigs of pools that are no longer selected', () => {
    const finalizers = ['99-infra-generated-kubelet', '99-worker-generated-kubelet']
    const one = object('a', { pools: ['worker'], finalizers })
    const stored = [
      machineConfig('99-infra-generated-kubelet', 'machinist-new', 'a'),
      machineConfig('99-worker-generated-kubelet', 'machinist-new', 'a'),
    ]
    const plan = planFor('a', [one], { stored })
    expect(names(plan.stale)).toEqual(['99-infra-generated-kubelet'])
    expect(plan.finalizers).toEqual(['99-worker-generated-kubelet'])
  })

  it("deletes generated MachineConfigs without owner, and none of the user's", () => {
    const one = object('a', { pools: ['master'], annotations: { [suffix]: '1' } })
    const uid = master.metadata.uid!
    const stored = [
      machineConfig('99-master-generated-kubelet', 'machinist-old'),
      machineConfig('99-master-generated-kubelet-1', 'machinist-old', 'a'),
      machineConfig('99-master-generated-kubelet-2', undefined),
      machineConfig('99-master-generated-kubelet-3', 'machinist-old', 'b'),
      machineConfig(`99-master-${uid}-kubelet`, 'machinist-old'),
      machineConfig('custom-kubelet', 'machinist-old'),
    ]
    const plan = planFor('a', [one], { stored })
    expect(names(plan.stale)).toEqual([`99-master-${uid}-kubelet`, '99-master-generated-kubelet'])
    expect(names(plan.desired)).toEqual(['99-master-generated-kubelet-1'])
  })

  it('keeps a MachineConfig that another object is about to adopt', () => {
    const first = object('first', { pools: ['master'], annotations: { [suffix]: '' } })
    const second = object('second', { pools: ['master'], annotations: { [suffix]: '1' } })
    const stored = [machineConfig('99-master-generated-kubelet', 'machinist-old')]
    expect(planFor('second', [first, second], { stored }).stale).toEqual([])
  })

  it('replaces MachineConfigs of old releases', () => {
    const deprecated = `99-master-${master.metadata.uid}-kubelet`
    const one = object('a', { pools: ['master'], finalizers: [deprecated] })
    const plan = planFor('a', [one], { stored: [machineConfig(deprecated, 'machinist-old', 'a')] })
    expect(names(plan.desired)).toEqual(['99-master-generated-kubelet'])
    expect(names(plan.stale)).toEqual([deprecated])
    expect(plan.finalizers).toEqual(['99-master-generated-kubelet'])
  })

  it("keeps a user's MachineConfig of the same name", () => {
    const one = object('a', { pools: ['worker'] })
    const stored = [machineConfig('99-worker-generated-kubelet', undefined)]
    const plan = planFor('a', [one], { stored })
    expect(plan.desired).toEqual([])
    expect(plan.stale).toEqual([])
    expect(plan.finalizers).toEqual([])
    expect(plan.failures).toEqual([
      {
        pool: 'worker',
        reason: 'NotOurs',
        message:
          'MachineConfig 99-worker-generated-kubelet was not generated by a controller and is not changed; delete or rename it',
      },
    ])
  })

  it('waits in a pool without base, and proceeds in others', () => {
    const pools = [master, worker].map(everywhere)
    const one = object('a', { pools: ['all'], finalizers: ['99-master-generated-kubelet'] })
    const stored = [machineConfig('99-master-generated-kubelet', 'machinist-old', 'a')]
    const contexts = { master: { waitsFor: 'MachineConfig 01-master-kubelet' } }
    const plan = planFor('a', [one], { pools, stored, contexts })
    const message = 'waits for MachineConfig 01-master-kubelet'
    expect(plan.waits).toEqual([{ pool: 'master', message, isUpToDate: false }])
    expect(names(plan.desired)).toEqual(['99-worker-generated-kubelet'])
    expect(plan.stale).toEqual([])
    expect(plan.finalizers).toEqual(['99-master-generated-kubelet', '99-worker-generated-kubelet'])
  })

  it('waits in a custom pool while the worker pool waits', () => {
    const contexts = { worker: { waitsFor: 'MachineConfig 01-worker-kubelet' } }
    const plan = planFor('a', [object('a', { pools: ['infra'] })], { contexts })
    const message = 'waits for MachineConfig 01-worker-kubelet'
    expect(plan.waits).toEqual([{ pool: 'infra', message, isUpToDate: false }])
  })

  it('records whether a waiting pool is up to date', () => {
    const one = object('a', { pools: ['worker'], generation: 2 })
    const [made] = planFor('a', [one]).desired
    const contexts = { worker: { waitsFor: 'the templates of worker' } }
    const isUpToDate = (object: KubeletConfig): boolean | undefined =>
      planFor('a', [object], { stored: [made!], contexts }).waits[0]?.isUpToDate
    expect(isUpToDate(one)).toBe(true)
    expect(isUpToDate(object('a', { pools: ['worker'], generation: 3 }))).toBe(false)
  })

  it('reports an unusable base', () => {
    const problem = { reason: 'NoBase', message: 'it is broken' }
    const plan = planFor('a', [object('a', { pools: ['worker'] })], {
      contexts: { worker: { problem } },
    })
    expect(plan.failures).toEqual([{ pool: 'worker', ...problem }])
  })

  it('deletes MachineConfigs if no pool is selected, and reports it', () => {
    const stored = [machineConfig('99-worker-generated-kubelet', 'machinist-new', 'a')]
    const lost = object('a', {
      pools: ['nowhere'],
      finalizers: ['99-worker-generated-kubelet', 'example.com/hold'],
    })
    const plan = planFor('a', [lost], { stored })
    expect(plan.suffix).toBeUndefined()
    expect(names(plan.stale)).toEqual(['99-worker-generated-kubelet'])
    expect(plan.finalizers).toEqual(['example.com/hold'])
    expect(plan.failures).toEqual([
      {
        reason: 'NoPool',
        message:
          'could not find any MachineConfigPool set for KubeletConfig a; add the labels of spec.machineConfigPoolSelector to a pool, or change the selector',
      },
    ])
    const { message } = planFor('a', [object('a', { pools: [] })]).failures[0]!
    expect(message).toContain('could not find any MachineConfigPool set for KubeletConfig a; ')
    expect(message).toContain('spec.machineConfigPoolSelector is missing or empty')
  })

  it('changes nothing if the selector is invalid', () => {
    const bad = object('a', { pools: ['worker'], finalizers: ['99-worker-generated-kubelet'] })
    bad.spec.machineConfigPoolSelector = { matchExpressions: [{ key: 'a', operator: 'Near' }] }
    const stored = [machineConfig('99-worker-generated-kubelet', 'machinist-new', 'a')]
    const plan = planFor('a', [bad], { stored })
    expect(plan.stale).toEqual([])
    expect(plan.finalizers).toEqual(['99-worker-generated-kubelet'])
    expect(plan.failures[0]?.reason).toBe('BadSelector')
    expect(plan.failures[0]?.message).toContain('spec.machineConfigPoolSelector: ')
  })

  it('reports a pool that already has ten objects', () => {
    const ten = Array.from({ length: 10 }, (_, i) =>
      object(`o${i}`, { pools: ['worker'], annotations: { [suffix]: i === 0 ? '' : String(i) } }),
    )
    const plan = planFor('z', [...ten, object('z', { pools: ['worker'] })])
    expect(plan.desired).toEqual([])
    expect(plan.failures[0]?.reason).toBe('TooMany')
    expect(plan.failures[0]?.message).toContain(
      'max number of supported kubelet config (10) has been reached',
    )
  })
})
