import { describe, expect, it } from 'vitest'
import type { Node } from '@machinist/kube/kinds/core'
import type { TrustRotation } from '../../api/kinds/trust-rotation.ts'
import type {
  ControllerConfig,
  MachineConfigNode,
  MachineConfigPool,
} from '../../api/kinds/resources.ts'
import type { NodeStatus, PoolStatus } from './cluster-status.ts'
import { clusterStatus } from './cluster-status.ts'

const domain = 'machineconfiguration.openshift.io'

const pool = (name: string, more: Partial<MachineConfigPool> = {}): MachineConfigPool => ({
  metadata: { name },
  spec: {
    nodeSelector: { matchLabels: { [`node-role.kubernetes.io/${name}`]: '' } },
    configuration: { name: 'V1' },
  },
  status: {
    machineCount: 2,
    updatedMachineCount: 1,
    configuration: { name: 'V1' },
    conditions: [{ type: 'Updated', status: 'True' }],
  },
  ...more,
})

function node(values: Record<string, string>, more: Partial<Node> = {}, ready = true): Node {
  const annotations = Object.fromEntries(
    Object.entries(values).map(([key, value]) => [`${domain}/${key}`, value]),
  )
  return {
    metadata: { name: 'w', labels: { 'node-role.kubernetes.io/worker': '' }, annotations },
    status: { conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
    ...more,
  }
}

const statusOf = (one: Node, progress?: MachineConfigNode): NodeStatus | undefined =>
  clusterStatus({
    pools: [pool('worker')],
    nodes: [one],
    machineConfigNode: () => progress,
    rotations: [],
    controllerConfigs: [],
  }).pools[0]!.nodes[0]

const nothing = {
  pools: [],
  nodes: [],
  rotations: [],
  controllerConfigs: [],
  machineConfigNode: () => undefined,
}

const poolStatus = (one: MachineConfigPool): PoolStatus | undefined =>
  clusterStatus({ ...nothing, pools: [one] }).pools[0]

const done = { currentConfig: 'V1', desiredConfig: 'V1', state: 'Done' }
const working = { currentConfig: 'V0', desiredConfig: 'V1', state: 'Working' }

describe('a node', () => {
  it.each<[string, Node, Partial<NodeStatus>]>([
    ['is done', node(done), { state: 'ok', activity: 'done', config: 'V1' }],
    [
      'waits for its turn',
      node({ ...done, currentConfig: 'V0', desiredConfig: 'V0' }),
      { state: 'waiting', activity: 'waiting for its turn', config: 'V0' },
    ],
    ['joins', node({}), { state: 'progressing', activity: 'joining' }],
    [
      'applies its config',
      node(working),
      { state: 'progressing', activity: 'applying its config', config: 'V0' },
    ],
    ['reboots', node(working, {}, false), { state: 'progressing', activity: 'rebooting' }],
    [
      'is not ready outside an update',
      node(done, {}, false),
      { state: 'failing', activity: 'not ready' },
    ],
    [
      'is cordoned',
      node(done, { spec: { unschedulable: true } }),
      { state: 'failing', activity: 'cordoned by a user' },
    ],
    [
      'has failed',
      node({ ...working, state: 'Degraded', reason: 'no room' }),
      { state: 'failing', activity: 'failed', why: 'no room' },
    ],
  ])('%s', (_what, one, expected) => {
    expect(statusOf(one)).toMatchObject({ name: 'w', ...expected })
  })

  it('waits while its pool is paused', () => {
    const one = node({ ...done, currentConfig: 'V0', desiredConfig: 'V0' })
    const paused = pool('worker', { spec: { ...pool('worker').spec, paused: true } })
    const { pools } = clusterStatus({ ...nothing, pools: [paused], nodes: [one] })
    expect(pools[0]!.nodes[0]).toMatchObject({ activity: 'waiting: the pool is paused' })
  })

  it.each([
    ['power-off', 'done, fault power-off'],
    [
      'power-of, slow',
      'done, fault power-of, slow (unknown: power-of; use power-off, not-ready, full-disk, slow)',
    ],
    ['', 'done'],
  ])('shows its fault %j', (fault, activity) => {
    const one = node(done)
    one.metadata.annotations!['sandbox.machinist.dev/fault'] = fault
    expect(statusOf(one)).toMatchObject({ activity })
  })

  it('shows what blocks its drain', () => {
    const drains = node({ ...working, desiredDrain: 'drain-V1' })
    const progress = (reason: string, message: string) =>
      ({
        metadata: { name: 'w' },
        status: { conditions: [{ type: 'Drained', status: 'Unknown', reason, message }] },
      }) as MachineConfigNode
    expect(statusOf(drains, progress('DrainBlocked', 'pod a/b'))).toMatchObject({
      activity: 'draining',
      why: 'pod a/b',
    })
    expect(statusOf(drains, progress('Draining', 'Draining for V1'))).not.toHaveProperty('why')
  })
})

describe('a pool', () => {
  const conditions = (...list: [string, 'True' | 'False', string][]) => ({
    ...pool('worker').status!,
    conditions: list.map(([type, status, message]) => ({ type, status, message })),
  })

  it('has the state of its conditions', () => {
    expect(poolStatus(pool('worker'))).toMatchObject({ state: 'Updated', updated: 1, total: 2 })
    const updating = conditions(['Updating', 'True', 'node w is cordoned'])
    expect(poolStatus(pool('worker', { status: updating }))).toMatchObject({
      state: 'Updating',
      why: 'node w is cordoned',
    })
    const pending = conditions([
      'Updated',
      'False',
      'Waiting for rendering: MachineConfig x changed',
    ])
    expect(poolStatus(pool('worker', { status: pending }))).toMatchObject({
      state: 'Updating',
      why: 'Waiting for rendering: MachineConfig x changed',
    })
    const bad = conditions(['RenderDegraded', 'True', 'MachineConfig x is invalid'])
    expect(poolStatus(pool('worker', { status: bad }))).toMatchObject({
      state: 'Degraded',
      why: 'MachineConfig x is invalid',
    })
    expect(poolStatus(pool('worker', { spec: { paused: true } }))?.state).toBe('Paused')
    expect(poolStatus({ metadata: { name: 'new' }, spec: {} })).toMatchObject({ state: 'Starting' })
  })

  it('is not Updated before the controller has observed the newest config', () => {
    const newer = pool('worker', { spec: { configuration: { name: 'V2' } } })
    expect(poolStatus(newer)).toMatchObject({ state: 'Updating', config: 'V2' })
  })

  it('is sorted: control plane, workers, then by name', () => {
    const pools = ['zoo', 'worker', 'gpu', 'master'].map((name) => pool(name))
    const status = clusterStatus({ ...nothing, pools })
    expect(status.pools.map(({ name }) => name)).toEqual(['master', 'worker', 'gpu', 'zoo'])
  })
})

describe('an input', () => {
  it('is shown while the operator cannot use it', () => {
    const condition = (type: string, status: 'True' | 'False') => ({
      type: `machinist.dev/InputDegraded.${type}`,
      status,
      reason: 'InputDegraded',
      message: 'ConfigMap openshift-config/ca contains no certificate',
      lastTransitionTime: '2026-03-01T10:00:00Z',
    })
    const conditions = [condition('kubelet-ca', 'True'), condition('pull-secret', 'False')]
    const config = { metadata: { name: 'c' }, status: { conditions } } as ControllerConfig
    expect(clusterStatus({ ...nothing, controllerConfigs: [config] }).badInputs).toEqual([
      { name: 'kubelet-ca', why: 'ConfigMap openshift-config/ca contains no certificate' },
    ])
  })
})

describe('a rotation', () => {
  const rotation = (status?: TrustRotation['status']): TrustRotation => ({
    metadata: { name: 'r' },
    spec: { signer: { namespace: 'n', name: 's' }, bundle: { namespace: 'n', name: 'b' } },
    ...(status && { status }),
  })
  const of = (status?: TrustRotation['status']) =>
    clusterStatus({ ...nothing, rotations: [rotation(status)] }).rotations
  const condition = (type: string, status: 'True' | 'False', message: string) => ({
    type,
    status,
    reason: 'Why',
    message,
    lastTransitionTime: '2026-03-01T10:00:00Z',
  })
  const progressing = condition('Progressing', 'True', 'node w has not reported yet')

  it('is shown while it is in progress, with the reason of a delay', () => {
    const nodes = { total: 3, trusting: 2 }
    const retiring = [{ fingerprint: 'f', subject: 'CN=old', notAfter: '2026-03-02T10:00:00Z' }]
    const preparing: TrustRotation['status'] = {
      phase: 'Preparing',
      nodes,
      conditions: [progressing],
    }
    expect(of({ ...preparing, retiring })).toEqual([
      {
        name: 'r',
        state: 'progressing',
        phase: 'Preparing',
        trusting: 2,
        total: 3,
        why: 'node w has not reported yet',
      },
    ])
    expect(of()).toEqual([])
    expect(of(preparing)).toEqual([])
    expect(of({ ...preparing, retiring, phase: 'Completed' })).toEqual([])
  })

  it('is shown while it is Degraded', () => {
    const degraded = condition('Degraded', 'True', 'ConfigMap n/b contains no certificate')
    const status = of({ phase: 'Completed', conditions: [progressing, degraded] })
    expect(status).toMatchObject([
      { state: 'failing', phase: 'Degraded', why: 'ConfigMap n/b contains no certificate' },
    ])
  })
})
