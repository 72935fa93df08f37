import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { KubeClient } from '@machinist/kube/client/client'
import { startEmbedded } from '@machinist/testing/clusters/start-embedded'
import { clientFrom } from '@machinist/testing/clusters/real-client'
import {
  describeOnRealCluster,
  startPrivateCluster,
} from '@machinist/testing/clusters/real-cluster'
import { nodeAnnotations } from '../../../../src/api/annotations.ts'
import { machineConfigs } from '../../../../src/api/kinds/resources.ts'
import { installDefinitions } from '../../../../src/api/definitions/definitions.fixture.ts'
import { RolloutCluster } from '../../../integration/controllers/rollout/rollout-cluster.ts'
import {
  controllerConfig,
  machineConfig,
  motd,
} from '../../../integration/controllers/support/cluster-objects.ts'
import { target } from '../../../integration/controllers/support/machine-configs.ts'
import { runRender } from '../../../integration/controllers/render/run-render.ts'

const role = 'machineconfiguration.openshift.io/role'
const example = new URL('../../../../examples/kernel-argument.yaml', import.meta.url).pathname

/** A CI pipeline: apply, then wait until the pool is updated. */
function pipelineCase(start: () => Promise<Started>): void {
  it('kubectl wait --for=condition=Updated succeeds when nodes run the applied config', async () => {
    await using server = await start()
    const { client, kubectl } = server
    await installDefinitions(client)
    await controllerConfig(client)
    const rollout = new RolloutCluster(client)
    const running = runRender(client, { windowMs: 1000 })
    try {
      await machineConfig(client, '00-worker', 'worker', motd('a'))
      await rollout.node('worker-0', 'worker')
      await rollout.pool('worker', {
        machineConfigSelector: { matchLabels: { [role]: 'worker' } },
        configuration: {},
      })
      const wait = ['wait', '--for=condition=Updated', '--timeout=60s', 'mcp/worker']
      await kubectl(...wait)
      const first = await target(client, 'worker')
      await kubectl('apply', '-f', example)
      await kubectl(...wait)
      const { metadata } = await rollout.readNode('worker-0')
      const current = metadata.annotations?.[nodeAnnotations.currentConfig] ?? ''
      expect(current).not.toBe(first)
      expect((await client.get(machineConfigs, { name: current })).spec?.kernelArguments).toEqual([
        'audit=1',
      ])
    } finally {
      await running.stop()
      await rollout.stop()
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
