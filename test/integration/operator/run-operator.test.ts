import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '@machinist/core/clock'
import { createLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { seededRandom } from '@machinist/core/random'
import type { KubeClient } from '@machinist/kube/client/client'
import { isNotFound } from '@machinist/kube/failure'
import { configMaps } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import type { RunningServer } from '@machinist/apiserver/running-server.fixture'
import { startServer } from '@machinist/apiserver/running-server.fixture'
import { until } from '@machinist/testing/until'
import { ca } from '@machinist/testing/certificates/certificates'
import type { ControllerConfig } from '../../../src/api/kinds/resources.ts'
import {
  controllerConfigs,
  machineConfigPools,
  machineConfigurations,
} from '../../../src/api/kinds/resources.ts'
import { runOperator } from '../../../src/operator/run-operator.ts'
import { installDefinitions } from '../../../src/api/definitions/definitions.fixture.ts'
import { installCluster } from './installed-cluster.ts'

let server: RunningServer
let client: KubeClient
beforeAll(async () => {
  server = await startServer()
  client = server.client
  await installDefinitions(client)
  await installCluster(client)
})
afterAll(() => server[Symbol.asyncDispose]())

const config = { name: 'machine-config-controller' }

async function becomes(
  what: string,
  isSo: (one: ControllerConfig) => boolean,
): Promise<ControllerConfig> {
  let found: ControllerConfig | undefined
  await until(what, async () => {
    found = await client.get(controllerConfigs, config).catch((error: unknown) => {
      if (!isNotFound(error)) throw error
      return undefined
    })
    return found !== undefined && isSo(found)
  })
  return found!
}

/** Runs the operator while `work` runs. Returns its log. */
async function withOperator(work: (metrics: Metrics) => Promise<void>): Promise<string> {
  let logged = ''
  const log = createLogger({ clock: systemClock, write: (line) => void (logged += line) })
  const stop = new AbortController()
  const ready = Promise.withResolvers<void>()
  const metrics = new Metrics()
  const tools = { client, clock: systemClock, random: seededRandom(3), log, metrics }
  const running = runOperator(
    { ...tools, version: '1.2.3', ready: () => ready.resolve() },
    stop.signal,
  )
  try {
    await ready.promise
    await work(metrics)
  } finally {
    stop.abort()
    await running
  }
  return logged
}

describe('the operator', () => {
  it('creates the objects that controllers and nodes use', async () => {
    const logged = await withOperator(async () => {
      const created = await becomes(
        'the ControllerConfig is complete',
        ({ metadata }) =>
          metadata.annotations?.['machineconfiguration.openshift.io/generated-by-version'] ===
          '1.2.3',
      )
      expect(created.spec.clusterDNSIP).toBe('10.96.0.10')
      expect(created.spec.kubeAPIServerServingCAData).toBeTruthy()
      expect(created.spec.rootCAData).toBeTruthy()
      await becomes("the API server's CA is published", ({ metadata }) =>
        Boolean(metadata.annotations?.['machinist.dev/trust-digests']?.includes('api-server-ca')),
      )
      await until('there are the built-in pools', async () => {
        const { items } = await client.list(machineConfigPools)
        return items.map(({ metadata }) => metadata.name).join() === 'master,worker'
      })
      await until('there is a MachineConfiguration', async () => {
        const { items } = await client.list(machineConfigurations)
        return items[0]?.metadata.name === 'cluster'
      })
    })
    const stopped = [...logged.matchAll(/"controller stopped","controller":"([^"]+)"/g)]
    expect(stopped.map(([, name]) => name!).sort()).toEqual([
      'cluster-facts',
      'cluster-operator',
      'kubelet-turns',
      'machine-configuration',
      'other-operator',
      'pools',
      'provisioning-tokens',
      'server-certificates',
      'trust',
      'trust-ledger',
    ])
    expect(logged).not.toContain('"level":"error"')
  })

  it('writes nothing after a restart without changes', async () => {
    const before = await client.get(controllerConfigs, config)
    const reconciled =
      /controller_runtime_reconcile_total\{controller="(trust|cluster-facts)",result="success"\}/g
    await withOperator((metrics) =>
      until(
        'both controllers have reconciled',
        () => [...metrics.text().matchAll(reconciled)].length === 2,
      ),
    )
    const { metadata, spec } = await client.get(controllerConfigs, config)
    expect(spec).toEqual(before.spec)
    expect(metadata.generation).toBe(before.metadata.generation)
  })

  it('publishes trust independent of other invalid inputs', async () => {
    const facts = { namespace: 'openshift-machine-config-operator', name: 'machinist-cluster' }
    const broken = { infrastructure: '{', network: '{', proxy: '{', image: '{', dns: '{' }
    const source = { namespace: 'openshift-config-managed', name: 'kube-apiserver-client-ca' }
    const next = await ca('next')
    await withOperator(async () => {
      await client.patch(configMaps, facts, mergePatch({ data: broken }))
      await becomes('the network is degraded', ({ status }) =>
        Boolean(
          status?.conditions?.some(
            ({ type, status: value }) =>
              type === 'machinist.dev/InputDegraded.network' && value === 'True',
          ),
        ),
      )
      await client.patch(configMaps, source, mergePatch({ data: { 'ca-bundle.crt': next } }))
      const expected = Buffer.from(next).toString('base64')
      const found = await becomes(
        'the CA is written',
        ({ spec }) => spec.kubeAPIServerServingCAData === expected,
      )
      expect(found.spec.clusterDNSIP).toBe('10.96.0.10')
    })
  })
})
