import { describe, expect, it } from 'vitest'
import type { KubeletConfig, MachineConfig, MachineConfigPool } from '../../api/resources.ts'
import { kubeletConfigs } from '../../api/resources.ts'
import type { Plan } from './decide.ts'
import { decide } from './decide.ts'
import type { Ground } from './facts.ts'
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

interface Said extends Partial<KubeletConfig['metadata']> {
  pools: string[]
  maxPods?: number
}

const object = (name: string, { pools, maxPods = 1, ...metadata }: Said): KubeletConfig => ({
  metadata: { name, uid: `uid-of-${name}`, creationTimestamp: '2026-01-01T00:00:00Z', ...metadata },
  spec: {
    machineConfigPoolSelector: {
      matchExpressions: pools.map((key) => ({ key, operator: 'Exists' })),
    },
    kubeletConfig: { maxPods },
  },
})
/** In `any` of the pools: each has a label of its own, so a selector names one; this label is on all. */
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

interface World {
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
  settle: (all: readonly KubeletConfig[], _: unknown, { base }: World) => ({
    spec: { config: [base, ...all.map(maxPodsOf)] },
  }),
  fields: (one: KubeletConfig) => new Map([['maxPods', String(maxPodsOf(one))]]),
}

interface Given {
  pools?: MachineConfigPool[]
  stored?: MachineConfig[]
  grounds?: Record<string, Ground<World>>
}

function planFor(
  name: string,
  objects: KubeletConfig[],
  { pools = [master, worker, infra], stored = [], grounds = {} }: Given = {},
): Plan {
  const one = objects.find(({ metadata }) => metadata.name === name)!
  const all = pools.map(poolSettings)
  const owns = ({ metadata }: MachineConfig): boolean =>
    metadata.ownerReferences?.[0]?.uid === one.metadata.uid
  const known = all.map((each): [string, Ground<World>] => [
    each.name,
    grounds[each.name] ?? { world: { base: 0 } },
  ])
  return decide(
    {
      object: one,
      objects,
      pools: all,
      grounds: new Map(known),
      stored: (wanted) => stored.find(({ metadata }) => metadata.name === wanted),
      made: stored.filter(owns),
      maker: { version: '1', build: 'machinist-new' },
    },
    kind,
  )
}

const names = (all: readonly { metadata: { name: string } }[]): string[] =>
  all.map(({ metadata }) => metadata.name)
const contents = ({ wanted }: Plan): unknown[] => wanted.map(({ spec }) => spec?.config)

describe('the plan for an object', () => {
  it('is a MachineConfig for its pool, named, labelled and owned', () => {
    const plan = planFor('a', [object('a', { pools: ['worker'] })])
    expect(plan).toEqual({
      suffix: 0,
      wanted: [
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
      unsure: [],
      failures: [],
      waits: [],
      overridden: [],
    })
  })

  it('keeps the name of an object from before annotations', () => {
    const finalizers = ['99-master-generated-kubelet']
    const older = object('older', { pools: ['master'], finalizers })
    const newer = object('newer', { pools: ['master'], annotations: { [suffix]: '1' } })
    const plan = planFor('older', [older, newer])
    expect(plan.suffix).toBe(0)
    expect(names(plan.wanted)).toEqual(['99-master-generated-kubelet'])
    expect(plan.finalizers).toEqual(['99-master-generated-kubelet'])
  })

  it('gives a second object of a pool the next number, and lets it add to the first', () => {
    const first = object('first', { pools: ['worker'], maxPods: 5, annotations: { [suffix]: '' } })
    const second = object('second', { pools: ['worker'], maxPods: 7 })
    const plan = planFor('second', [first, second])
    expect(names(plan.wanted)).toEqual(['99-worker-generated-kubelet-1'])
    expect(contents(plan)).toEqual([[0, 5, 7]])
    expect(planFor('first', [first, second]).overridden).toEqual([
      { pool: 'worker', field: 'maxPods', value: '5', by: 'second', byValue: '7' },
    ])
  })

  it('lets a custom pool begin with what workers have', () => {
    const theirs = object('theirs', { pools: ['worker'], maxPods: 5 })
    const own = object('own', { pools: ['infra'], maxPods: 7 })
    const plan = planFor('own', [theirs, own])
    expect(names(plan.wanted)).toEqual(['99-infra-generated-kubelet'])
    expect(contents(plan)).toEqual([[0, 5, 7]])
    expect(planFor('theirs', [theirs, own]).overridden).toEqual([])
  })

  it('makes one for each of its pools, the second also where the first is as it should be', () => {
    const pools = [master, worker].map(everywhere)
    const one = object('a', { pools: ['all'], annotations: { [suffix]: '' } })
    const first = planFor('a', [one], { pools })
    const stored = [
      first.wanted[0]!,
      machineConfig('99-worker-generated-kubelet', 'machinist-old', 'a'),
    ]
    const plan = planFor('a', [one], { pools, stored })
    expect(names(plan.wanted)).toEqual([
      '99-master-generated-kubelet',
      '99-worker-generated-kubelet',
    ])
    expect(plan.stale).toEqual([])
  })

  it('is for the good pools only where it is wrong in one, and keeps what is there', () => {
    const pools = [worker, infra].map(everywhere)
    const finalizers = ['example.com/hold', '99-infra-generated-kubelet']
    const one = object('a', { pools: ['all'], maxPods: 13, finalizers })
    const stored = [machineConfig('99-infra-generated-kubelet', 'machinist-old', 'a')]
    const plan = planFor('a', [one], { pools, stored })
    expect(names(plan.wanted)).toEqual(['99-worker-generated-kubelet'])
    expect(plan.failures).toEqual([{ pool: 'infra', reason: 'BadSettings', message: 'maxPods 13' }])
    expect(plan.stale).toEqual([])
    expect(plan.finalizers).toEqual([
      'example.com/hold',
      '99-infra-generated-kubelet',
      '99-worker-generated-kubelet',
    ])
  })

  it('leaves a wrong object out of what the others come to', () => {
    const bad = object('bad', { pools: ['worker'], maxPods: -1, annotations: { [suffix]: '' } })
    const good = object('good', { pools: ['worker'], maxPods: 7, annotations: { [suffix]: '1' } })
    expect(contents(planFor('good', [bad, good]))).toEqual([[0, 7]])
  })

  it('leaves out what is being deleted, whose name stays taken until it is gone', () => {
    const deletionTimestamp = '2026-02-01T00:00:00Z'
    const annotations = { [suffix]: '' }
    const gone = object('gone', { pools: ['worker'], maxPods: 5, deletionTimestamp, annotations })
    const plan = planFor('new', [gone, object('new', { pools: ['worker'], maxPods: 7 })])
    expect(names(plan.wanted)).toEqual(['99-worker-generated-kubelet-1'])
    expect(contents(plan)).toEqual([[0, 7]])
  })

  it('removes what pools have that it no longer selects', () => {
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

  it('clears away what an older build left and nobody owns, and nothing of users', () => {
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
    expect(names(plan.wanted)).toEqual(['99-master-generated-kubelet-1'])
  })

  it('does not clear away what another object is about to take over', () => {
    const first = object('first', { pools: ['master'], annotations: { [suffix]: '' } })
    const second = object('second', { pools: ['master'], annotations: { [suffix]: '1' } })
    const stored = [machineConfig('99-master-generated-kubelet', 'machinist-old')]
    expect(planFor('second', [first, second], { stored }).stale).toEqual([])
  })

  it('replaces what the oldest releases made', () => {
    const deprecated = `99-master-${master.metadata.uid}-kubelet`
    const one = object('a', { pools: ['master'], finalizers: [deprecated] })
    const plan = planFor('a', [one], { stored: [machineConfig(deprecated, 'machinist-old', 'a')] })
    expect(names(plan.wanted)).toEqual(['99-master-generated-kubelet'])
    expect(names(plan.stale)).toEqual([deprecated])
    expect(plan.finalizers).toEqual(['99-master-generated-kubelet'])
  })

  it('never touches what a user made under such a name', () => {
    const one = object('a', { pools: ['worker'] })
    const stored = [machineConfig('99-worker-generated-kubelet', undefined)]
    const plan = planFor('a', [one], { stored })
    expect(plan.wanted).toEqual([])
    expect(plan.stale).toEqual([])
    expect(plan.finalizers).toEqual([])
    expect(plan.failures).toEqual([
      {
        pool: 'worker',
        reason: 'NotOurs',
        message:
          'MachineConfig 99-worker-generated-kubelet is not by a controller, and stays as it is; delete or rename it',
      },
    ])
  })

  it('waits where there is nothing to build on, and goes on elsewhere', () => {
    const pools = [master, worker].map(everywhere)
    const one = object('a', { pools: ['all'], finalizers: ['99-master-generated-kubelet'] })
    const stored = [machineConfig('99-master-generated-kubelet', 'machinist-old', 'a')]
    const grounds = { master: { waits: 'MachineConfig 01-master-kubelet' } }
    const plan = planFor('a', [one], { pools, stored, grounds })
    const message = 'waits for MachineConfig 01-master-kubelet'
    expect(plan.waits).toEqual([{ pool: 'master', message, isMade: false }])
    expect(names(plan.wanted)).toEqual(['99-worker-generated-kubelet'])
    expect(plan.stale).toEqual([])
    expect(plan.finalizers).toEqual(['99-master-generated-kubelet', '99-worker-generated-kubelet'])
  })

  it('waits with a custom pool for what workers wait for', () => {
    const grounds = { worker: { waits: 'MachineConfig 01-worker-kubelet' } }
    const plan = planFor('a', [object('a', { pools: ['infra'] })], { grounds })
    const message = 'waits for MachineConfig 01-worker-kubelet'
    expect(plan.waits).toEqual([{ pool: 'infra', message, isMade: false }])
  })

  it('says whether a pool that waits has what the object says now', () => {
    const one = object('a', { pools: ['worker'], generation: 2 })
    const [made] = planFor('a', [one]).wanted
    const grounds = { worker: { waits: 'the templates of worker' } }
    const isMade = (object: KubeletConfig): boolean | undefined =>
      planFor('a', [object], { stored: [made!], grounds }).waits[0]?.isMade
    expect(isMade(one)).toBe(true)
    expect(isMade(object('a', { pools: ['worker'], generation: 3 }))).toBe(false)
  })

  it('says where the base cannot be used', () => {
    const problem = { reason: 'NoBase', message: 'it is broken' }
    const plan = planFor('a', [object('a', { pools: ['worker'] })], {
      grounds: { worker: { problem } },
    })
    expect(plan.failures).toEqual([{ pool: 'worker', ...problem }])
  })

  it('is to say so where no pool is selected, and what was made goes', () => {
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
          'could not find any MachineConfigPool set for KubeletConfig a; give a pool the labels that spec.machineConfigPoolSelector asks for, or change that',
      },
    ])
    const { message } = planFor('a', [object('a', { pools: [] })]).failures[0]!
    expect(message).toContain('could not find any MachineConfigPool set for KubeletConfig a; ')
    expect(message).toContain('spec.machineConfigPoolSelector is missing or empty')
  })

  it('is to touch nothing where the selector cannot be read', () => {
    const bad = object('a', { pools: ['worker'], finalizers: ['99-worker-generated-kubelet'] })
    bad.spec.machineConfigPoolSelector = { matchExpressions: [{ key: 'a', operator: 'Near' }] }
    const stored = [machineConfig('99-worker-generated-kubelet', 'machinist-new', 'a')]
    const plan = planFor('a', [bad], { stored })
    expect(plan.stale).toEqual([])
    expect(plan.finalizers).toEqual(['99-worker-generated-kubelet'])
    expect(plan.failures[0]?.reason).toBe('BadSelector')
    expect(plan.failures[0]?.message).toContain('spec.machineConfigPoolSelector: ')
  })

  it('is to say so where a pool has ten already', () => {
    const ten = Array.from({ length: 10 }, (_, i) =>
      object(`o${i}`, { pools: ['worker'], annotations: { [suffix]: i === 0 ? '' : String(i) } }),
    )
    const plan = planFor('z', [...ten, object('z', { pools: ['worker'] })])
    expect(plan.wanted).toEqual([])
    expect(plan.failures[0]?.reason).toBe('TooMany')
    expect(plan.failures[0]?.message).toContain(
      'max number of supported kubelet config (10) has been reached',
    )
  })
})
