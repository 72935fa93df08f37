import { describe, expect, it } from 'vitest'
import { ScriptedServer, context, staticCache } from '@machinist/testing/servers/scripted-server'
import { Waiting } from '@machinist/core/errors'
import type { Logger } from '@machinist/core/log'
import { createLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { seededRandom } from '@machinist/core/random'
import { VirtualClock } from '@machinist/core/virtual-clock'
import type { Controller } from '@machinist/kube/controller/controller'
import type { ConfigMap, Namespace, Secret } from '@machinist/kube/kinds/core'
import type {
  ControllerConfig,
  MachineConfigPool,
  TrustRotation,
} from '../../api/kinds/resources.ts'
import { TaskReports } from '../cluster-operator/tasks.ts'
import { serverCertificatesController } from './server-certificates.ts'
import { serverRotation } from './server-rotation.ts'

const events = { normal: (): void => undefined, warning: (): void => undefined }
const key = 'machine-config-server'
const place = '/api/v1/namespaces/openshift-machine-config-operator'
const later = { type: 'requeue', afterMs: 60_000 }
const settled = { type: 'settled' }

interface Cluster {
  readonly rotations?: readonly TrustRotation[]
  readonly infra?: object | null
  readonly rootCAData?: string
  readonly record?: ConfigMap
  readonly isServed?: boolean
  /** The informers of Secrets do not sync. */
  readonly isSilent?: boolean
}

class Operator {
  readonly reports = new TaskReports()
  logged = ''
  readonly controller: Controller
  readonly #log: Logger

  constructor(server: ScriptedServer, cluster: Cluster = {}) {
    const { infra = { status: { apiServerInternalURI: 'https://api-int:6443' } } } = cluster
    const { rotations = [], rootCAData, record, isServed = true } = cluster
    const clock = new VirtualClock()
    const log = createLogger({ clock, write: (line) => void (this.logged += line) })
    this.#log = log
    const tools = { clock, random: seededRandom(1), log, metrics: new Metrics() }
    const config = {
      metadata: { name: 'machine-config-controller' },
      spec: { infra, ...(rootCAData && { rootCAData }) },
    } as unknown as ControllerConfig
    const silent = { ...staticCache<Secret>(), hasSynced: false }
    const userData = cluster.isSilent ? silent : staticCache<Secret>()
    const caches = {
      pools: staticCache<MachineConfigPool>({ metadata: { name: 'worker' }, spec: {} }),
      controllerConfigs: staticCache(config),
      userData,
      provisioning: userData,
      machineAPI: staticCache<Namespace>(),
      trustRotations: staticCache(...rotations),
      hasTrustRotations: () => isServed,
      userDataRecord: staticCache(...(record ? [record] : [])),
    }
    const given = { ...tools, client: server.client, events }
    this.controller = serverCertificatesController(given, caches, { reports: this.reports })
  }

  reconcile(): Promise<unknown> {
    return this.controller.reconcile(key, { ...context, log: this.#log })
  }
}

const record = {
  metadata: { namespace: 'openshift-machine-config-operator', name: 'machine-config-user-data' },
  data: {},
}

describe('the certificates of the config server', () => {
  it('are requested after the bundle with the CA of today exists', async () => {
    const server = new ScriptedServer([404, 'NotFound'], {}, {}, {})
    const operator = new Operator(server, { rootCAData: 'Q0EK' })
    expect(await operator.reconcile()).toEqual(settled)
    expect(server.requests).toEqual([
      `GET ${place}/secrets/machine-config-server-tls`,
      `POST ${place}/configmaps`,
      'POST /apis/machinist.dev/v1alpha1/trustrotations',
      `POST ${place}/configmaps`,
    ])
    expect(server.bodies[1]).toMatchObject({ data: { 'ca-bundle.crt': 'CA\n' } })
  })

  it('are requested if the bundle exists already', async () => {
    const server = new ScriptedServer([404, 'NotFound'], [409, 'AlreadyExists'], {})
    const operator = new Operator(server, { rootCAData: 'Q0EK', record })
    expect(await operator.reconcile()).toEqual(settled)
    expect(server.requests).toHaveLength(3)
  })

  it('are left alone, with a reason that is logged once, if another owner issued them', async () => {
    const unlabelled = { metadata: { name: 'machine-config-server-tls' } }
    const server = new ScriptedServer(unlabelled, unlabelled)
    const operator = new Operator(server, { record })
    expect(await operator.reconcile()).toEqual(later)
    expect(await operator.reconcile()).toEqual(later)
    expect(server.requests.every((request) => request.startsWith('GET '))).toBe(true)
    expect(operator.logged.match(/are not managed/g)).toHaveLength(1)
    expect(operator.reports.list()).toEqual([])
  })

  it.each<[string, Cluster]>([
    ['cluster facts are unknown', { infra: null }],
    ['the cluster has no TrustRotations', { isServed: false }],
  ])('wait while %s', async (_, cluster) => {
    const server = new ScriptedServer()
    expect(await new Operator(server, cluster).reconcile()).toEqual(settled)
    expect(server.requests).toEqual([])
  })
})

describe('responses of the server', () => {
  const stale = serverRotation(['other'])

  it('a rejected write is reported and retried, and does not stop the other', async () => {
    const server = new ScriptedServer([403, 'Forbidden'], {}, {})
    const operator = new Operator(server, { rotations: [stale] })
    expect(await operator.reconcile()).toEqual(later)
    expect(operator.reports.list()).toEqual([
      {
        task: 'MachineConfigServer',
        message: 'the API server refused TrustRotation machine-config-server (403 Forbidden)',
      },
    ])
    expect(server.requests).toEqual([
      'PUT /apis/machinist.dev/v1alpha1/trustrotations/machine-config-server',
      `POST ${place}/configmaps`,
    ])
    const allowed = new Operator(new ScriptedServer({}), { rotations: [stale], record })
    allowed.reports.failed('MachineConfigServer', key, 'earlier')
    expect(await allowed.reconcile()).toEqual(settled)
    expect(allowed.reports.list()).toEqual([])
  })

  it('a conflict is retried', async () => {
    const server = new ScriptedServer([409, 'Conflict'])
    const operator = new Operator(server, { rotations: [stale], record })
    await expect(operator.reconcile()).rejects.toBeInstanceOf(Waiting)
  })

  it('a concurrent creation or deletion is not a failure', async () => {
    const gone = new ScriptedServer([404, 'NotFound'])
    expect(await new Operator(gone, { rotations: [stale], record }).reconcile()).toEqual(settled)
    const there = new ScriptedServer([404, 'NotFound'], [409, 'AlreadyExists'])
    expect(await new Operator(there, { record }).reconcile()).toEqual(settled)
  })

  it('other errors are retried', async () => {
    const server = new ScriptedServer([500, 'InternalError'])
    await expect(new Operator(server, { rotations: [stale], record }).reconcile()).rejects.toThrow(
      /quotes/,
    )
  })

  it('missing permissions for user data do not block the certificates', async () => {
    const server = new ScriptedServer([404, 'NotFound'], {})
    expect(await new Operator(server, { isSilent: true }).reconcile()).toEqual(settled)
    expect(server.requests.at(-1)).toBe('POST /apis/machinist.dev/v1alpha1/trustrotations')
  })
})
