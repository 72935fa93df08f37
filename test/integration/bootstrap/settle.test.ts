import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '@machinist/core/clock'
import { KubeClient } from '@machinist/kube/client/client'
import { ConnectionFailure } from '@machinist/kube/failure'
import type { ApiRequest, Transport } from '@machinist/kube/transport/transport'
import { machineConfigPools } from '../../../src/api/kinds/resources.ts'
import { applyManifests } from '../../../src/bootstrap/cluster/apply-manifests.ts'
import type { BootstrapCluster } from '../../../src/bootstrap/cluster/start-cluster.ts'
import { startBootstrapCluster } from '../../../src/bootstrap/cluster/start-cluster.ts'
import { clusterInputs } from '../../../src/bootstrap/manifests/cluster-inputs.ts'
import { parseManifests } from '../../../src/bootstrap/manifests/parse-manifests.ts'
import type { Settlement } from '../../../src/bootstrap/rounds/settle.ts'
import { settle } from '../../../src/bootstrap/rounds/settle.ts'
import { loadTemplates } from '../../../src/process/templates.ts'
import { version } from '../../../src/process/version.ts'
import { kubeletConfig, openShiftManifests } from './manifests.ts'
import { renderedManifests } from './render-manifests.ts'

const manifests = { ...openShiftManifests, 'k.yaml': kubeletConfig('pods', 'master', 99) }
const parsed = parseManifests(new Map(Object.entries(manifests))).manifests

let cluster: BootstrapCluster
beforeAll(async () => {
  cluster = await startBootstrapCluster(true)
  const inputs = clusterInputs(parsed, 'main')
  const { client } = cluster
  await applyManifests(parsed, { client, inputs, version })
})
afterAll(() => cluster.stop())

/** Requests reach the API, unless they are refused; watches never deliver an event. */
function withoutWatches(
  client: KubeClient,
  isRefused: (request: ApiRequest) => boolean = () => false,
): KubeClient {
  const transport: Transport = {
    request: async (request) => {
      if (isRefused(request)) throw new ConnectionFailure(request, 'connection reset')
      return client.raw(request)
    },
    stream: ({ signal }) => ({
      [Symbol.asyncIterator]: () => ({
        next: async () => {
          if (signal && !signal.aborted) await once(signal, 'abort')
          return { done: true, value: undefined }
        },
      }),
    }),
    close: () => {},
  }
  return new KubeClient({ transport, clock: systemClock })
}

async function settled(
  client: KubeClient,
): Promise<{ result: Settlement; changes: readonly number[] }> {
  const changes: number[] = []
  const result = await settle(
    {
      client,
      kinds: cluster.kinds,
      templates: await loadTemplates(),
      version,
      release: 'main',
      writesControllerConfig: true,
      progress: (_, changed) => changes.push(changed),
    },
    new AbortController().signal,
  )
  return { result, changes }
}

describe('the controllers', { timeout: 120_000 }, () => {
  it('settle in the final state even if no cache ever receives a change', async () => {
    const { pools } = await renderedManifests(manifests)
    const { result, changes } = await settled(withoutWatches(cluster.client))
    expect(result).toEqual({ type: 'settled', failures: [] })
    // Facts, templates, settings and rendering, each in a round of its own.
    expect(changes.length).toBeGreaterThan(4)
    expect(changes.at(-1)).toBe(0)
    const { items } = await cluster.client.list(machineConfigPools)
    expect(
      new Map(items.map(({ metadata, spec }) => [metadata.name, spec.configuration?.name])),
    ).toEqual(pools)
  })

  it('change nothing in a settled cluster', async () => {
    expect(await settled(cluster.client)).toEqual({
      result: { type: 'settled', failures: [] },
      changes: [0, 0],
    })
  })

  it('settle with their failures if a write fails again and again', async () => {
    const other = await startBootstrapCluster(true)
    try {
      const { client } = other
      await applyManifests(parsed, { client, inputs: clusterInputs(parsed, 'main'), version })
      const isRefused = ({ method, path }: ApiRequest): boolean =>
        method === 'POST' && path.endsWith('/machineconfigs')
      const { result, changes } = await settled(withoutWatches(client, isRefused))
      expect(changes.slice(-3)).toEqual([0, 0, 0])
      expect(result.type).toBe('settled')
      expect(result.failures).toContainEqual(
        expect.stringMatching(
          /^template: reconcile failed of machine-config-controller: .*connection reset/,
        ),
      )
    } finally {
      await other.stop()
    }
  })
})
