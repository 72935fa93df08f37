import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { nodeAnnotations } from '../../../../src/api/annotations.ts'
import { machineConfigs } from '../../../../src/api/resources.ts'
import type { KubeClient } from '@machinist/kube/client'
import { startEmbedded } from '@machinist/testing/start-embedded'
import { installDefinitions } from '../../../../src/api/definitions.fixture.ts'
import { clientFrom } from '@machinist/testing/real-client'
import { describeOnRealCluster, startPrivateCluster } from '@machinist/testing/real-cluster'
import { World } from '../../../integration/controllers/rollout/world.ts'
import {
  controllerConfig,
  machineConfig,
  motd,
} from '../../../integration/controllers/support/cluster-objects.ts'
import { target } from '../../../integration/controllers/support/machine-configs.ts'
import { runRender } from '../../../integration/controllers/render/world.ts'

const role = 'machineconfiguration.openshift.io/role'
const example = new URL('../../../../examples/kernel-argument.yaml', import.meta.url).pathname

/** What every pipeline does: apply, then wait until the pool is updated. */
function pipelineCase(start: () => Promise<Started>): void {
  it('kubectl wait --for=condition=Updated succeeds when nodes run what was applied before it', async () => {
    await using server = await start()
    const { client, kubectl } = server
    await installDefinitions(client)
    await controllerConfig(client)
    const world = new World(client)
    const running = runRender(client, { windowMs: 1000 })
    try {
      await machineConfig(client, '00-worker', 'worker', motd('a'))
      await world.node('worker-0', 'worker')
      await world.pool('worker', {
        machineConfigSelector: { matchLabels: { [role]: 'worker' } },
        configuration: {},
      })
      const wait = ['wait', '--for=condition=Updated', '--timeout=60s', 'mcp/worker']
      await kubectl(...wait)
      const first = await target(client, 'worker')
      await kubectl('apply', '-f', example)
      await kubectl(...wait)
      const { metadata } = await world.readNode('worker-0')
      const current = metadata.annotations?.[nodeAnnotations.currentConfig] ?? ''
      expect(current).not.toBe(first)
      expect((await client.get(machineConfigs, { name: current })).spec?.kernelArguments).toEqual([
        'audit=1',
      ])
    } finally {
      await running.stop()
      await world.stop()
    }
  })
}

interface Started extends AsyncDisposable {
  readonly client: KubeClient
  readonly kubectl: (...args: string[]) => Promise<unknown>
}

async function started(
  at: { readonly kubectl: string; readonly kubeconfig: string },
  stop: () => Promise<void>,
): Promise<Started> {
  return {
    client: await clientFrom(at.kubeconfig),
    kubectl: (...args) =>
      promisify(execFile)(at.kubectl, [`--kubeconfig=${at.kubeconfig}`, ...args]),
    [Symbol.asyncDispose]: stop,
  }
}

describeOnRealCluster('a pipeline on a real API server', () => {
  pipelineCase(async () => {
    const cluster = await startPrivateCluster()
    return started(cluster, () => cluster.stop())
  })
})

describe('a pipeline on the embedded API server', () => {
  pipelineCase(async () => {
    const server = await startEmbedded()
    return started(server.target, () => server.stop())
  })
})
