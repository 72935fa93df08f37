import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ControllerConfig } from '../../../src/api/resources.ts'
import {
  controllerConfigs,
  machineConfigPools,
  machineConfigurations,
} from '../../../src/api/resources.ts'
import { systemClock } from '@machinist/core/clock'
import { createLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { seededRandom } from '@machinist/core/random'
import type { KubeClient } from '@machinist/kube/client'
import { isNotFound } from '@machinist/kube/failure'
import { configMaps } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { runOperator } from '../../../src/operator/run-operator.ts'
import type { RunningServer } from '@machinist/apiserver/running-server.fixture'
import { startServer } from '@machinist/apiserver/running-server.fixture'
import { installDefinitions } from '../../../src/api/definitions.fixture.ts'
import { until } from '@machinist/testing/until'
import { installCluster } from './installed-cluster.ts'
import { ca } from '@machinist/testing/certificates'

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

/** From its start until it has stopped. */
async function operating(work: (metrics: Metrics) => Promise<void>): Promise<string> {
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
  it('makes of what a cluster brings all that controllers and nodes go by', async () => {
    const logged = await operating(async () => {
      const made = await becomes(
        'the ControllerConfig is whole',
        ({ metadata }) =>
          metadata.annotations?.['machineconfiguration.openshift.io/generated-by-version'] ===
          '1.2.3',
      )
      expect(made.spec.clusterDNSIP).toBe('10.96.0.10')
      expect(made.spec.kubeAPIServerServingCAData).toBeTruthy()
      expect(made.spec.rootCAData).toBeTruthy()
      await becomes('the API server’s CA is handed on', ({ metadata }) =>
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
      'trust',
      'trust-ledger',
    ])
    expect(logged).not.toContain('"level":"error"')
  })

  it('writes nothing when it starts anew and nothing has changed', async () => {
    const before = await client.get(controllerConfigs, config)
    const looked =
      /controller_runtime_reconcile_total\{controller="(trust|cluster-facts)",result="success"\}/g
    await operating((metrics) =>
      until('both loops have looked', () => [...metrics.text().matchAll(looked)].length === 2),
    )
    const { metadata, spec } = await client.get(controllerConfigs, config)
    expect(spec).toEqual(before.spec)
    expect(metadata.generation).toBe(before.metadata.generation)
  })

  it('hands on trust whatever else is wrong', async () => {
    const facts = { namespace: 'openshift-machine-config-operator', name: 'machinist-cluster' }
    const broken = { infrastructure: '{', network: '{', proxy: '{', image: '{', dns: '{' }
    const source = { namespace: 'openshift-config-managed', name: 'kube-apiserver-client-ca' }
    const next = await ca('next')
    await operating(async () => {
      await client.patch(configMaps, facts, mergePatch({ data: broken }))
      await becomes('the network is bad', ({ status }) =>
        Boolean(
          status?.conditions?.some(
            ({ type, status: is }) =>
              type === 'machinist.dev/InputDegraded.network' && is === 'True',
          ),
        ),
      )
      await client.patch(configMaps, source, mergePatch({ data: { 'ca-bundle.crt': next } }))
      const wanted = Buffer.from(next).toString('base64')
      const found = await becomes(
        'trust is handed on',
        ({ spec }) => spec.kubeAPIServerServingCAData === wanted,
      )
      expect(found.spec.clusterDNSIP).toBe('10.96.0.10')
    })
  })
})
