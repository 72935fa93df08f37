import { describe, expect, it } from 'vitest'
import { AnsweringServer, context, still } from '@machinist/testing/answering-server'
import type { ControllerConfig, MachineConfigPool } from '../../api/resources.ts'
import { Waiting } from '@machinist/core/errors'
import { VirtualClock } from '@machinist/core/virtual-clock'
import type { Controller } from '@machinist/kube/controller/controller'
import type { Namespace, Secret } from '@machinist/kube/kinds/core'
import { TaskReports } from '../cluster-operator/tasks.ts'
import { poolsController } from './pools.ts'

const told: string[] = []
const events = {
  normal: (): void => undefined,
  warning: (about: object, reason: string): void => {
    told.push(`${(about as { kind: string }).kind} ${reason}`)
  },
}

const clock = new VirtualClock()
const silent = { ...still<never>(), hasSynced: false, synced: () => new Promise<boolean>(() => {}) }

interface Cluster {
  readonly pools?: readonly MachineConfigPool[]
  readonly userData?: readonly Secret[]
  /** The API says nothing about Secrets and Namespaces. */
  readonly isSilent?: boolean
}

function controller(
  server: AnsweringServer,
  cluster: Cluster,
  reports = new TaskReports(),
): Controller {
  const config = {
    metadata: { name: 'machine-config-controller' },
    spec: {
      rootCAData: 'Q0EK',
      infra: { status: { apiServerInternalURI: 'https://api-int:6443' } },
    },
  } as unknown as ControllerConfig
  return poolsController({
    client: server.client,
    events,
    reports,
    informers: {
      pools: still(...(cluster.pools ?? [])),
      controllerConfigs: still(config),
      userData: cluster.isSilent ? silent : still(...(cluster.userData ?? [])),
      machineAPI: cluster.isSilent
        ? silent
        : still<Namespace>({ metadata: { name: 'openshift-machine-api' } }),
    },
    clock,
  })
}

const infra: MachineConfigPool = { metadata: { name: 'infra', uid: 'u-1' }, spec: {} }
const stale: Secret = {
  metadata: {
    name: 'infra-user-data-managed',
    namespace: 'openshift-machine-api',
    resourceVersion: '7',
  },
  data: {},
}
const place = '/api/v1/namespaces/openshift-machine-api/secrets'

describe('answers of the server', () => {
  it('a conflict is waited out', async () => {
    const server = new AnsweringServer([409, 'Conflict'])
    const pools = controller(server, { pools: [infra], userData: [stale] })
    await expect(pools.reconcile('infra', context)).rejects.toBeInstanceOf(Waiting)
    expect(server.asked).toEqual([`PATCH ${place}/infra-user-data-managed`])
    expect(server.bodies[0]).toMatchObject({ metadata: { resourceVersion: '7' } })
  })

  it('what has gone in between is no failure, nor is what somebody else made', async () => {
    const gone = new AnsweringServer([404, 'NotFound'])
    const cluster = { pools: [infra], userData: [stale] }
    expect(await controller(gone, cluster).reconcile('infra', context)).toEqual({ type: 'settled' })
    const there = new AnsweringServer([409, 'AlreadyExists'])
    expect(await controller(there, {}).reconcile('master', context)).toEqual({ type: 'settled' })
  })

  it('a refusal is told once, and looked at again', async () => {
    told.length = 0
    const reports = new TaskReports()
    const refusal = [403, 'Forbidden'] as const
    const server = new AnsweringServer(refusal, refusal, {})
    const pools = controller(server, {}, reports)
    const later = { type: 'requeue', afterMs: 60_000 }
    expect(await pools.reconcile('worker', context)).toEqual(later)
    expect(await pools.reconcile('worker', context)).toEqual(later)
    expect(told).toEqual(['MachineConfigPool ActionProhibited'])
    expect(reports.list()).toEqual([
      {
        task: 'MachineConfigPools',
        message: 'the API server refused MachineConfigPool worker (403 Forbidden)',
      },
    ])
    expect(await pools.reconcile('worker', context)).toEqual({ type: 'settled' })
    expect(reports.list()).toEqual([])
  })

  it('what nobody may ask for does not keep pools from being made', async () => {
    const server = new AnsweringServer({})
    const pools = controller(server, { isSilent: true })
    let isStarted = false
    void Promise.all(pools.inputs.map((input) => input.synced())).then(() => (isStarted = true))
    await clock.advance(10_000)
    expect(isStarted).toBe(true)
    expect(await pools.reconcile('master', context)).toEqual({ type: 'settled' })
    expect(server.asked).toEqual([
      'POST /apis/machineconfiguration.openshift.io/v1/machineconfigpools',
    ])
    const others = controller(server, { isSilent: true, pools: [infra] })
    expect(await others.reconcile('infra', context)).toEqual({ type: 'settled' })
    expect(server.asked).toHaveLength(1)
  })

  it('whatever else goes wrong is tried again, and does not keep the rest from being done', async () => {
    const worker = { metadata: { name: 'worker', uid: 'u-2' }, spec: {} }
    const server = new AnsweringServer([500, 'InternalError'], {})
    const pools = controller(server, { pools: [worker] })
    await expect(pools.reconcile('worker', context)).rejects.toThrow('(500 InternalError)')
    expect(server.asked).toEqual([
      'PATCH /apis/machineconfiguration.openshift.io/v1/machineconfigpools/worker',
      `POST ${place}`,
    ])
  })
})
