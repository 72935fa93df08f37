import { describe, expect, it } from 'vitest'
import type { Condition } from '@machinist/core/objects/resource'
import { mergePatch } from '@machinist/kube/patch'
import { until } from '@machinist/testing/until'
import { setCondition } from '../../../../src/api/conditions.ts'
import {
  kubeletConfigs,
  machineConfigPools,
  machineConfigs,
} from '../../../../src/api/kinds/resources.ts'
import { controllerConfig, machineConfig, motd, pool } from '../support/cluster-objects.ts'
import { target } from '../support/machine-configs.ts'
import { poolCondition } from '../support/reported.ts'
import type { RenderCluster } from './render-cluster.ts'

/** The Updated condition while a rendering is pending. */
export function updatedConditionCases(cluster: RenderCluster): void {
  const { client } = cluster

  describe('the Updated condition', () => {
    const updated = (): Promise<Condition | undefined> => poolCondition(client, 'worker', 'Updated')
    const isPending = (text: string): Promise<void> =>
      until(`Updated is pending because of ${text}`, async () => {
        const { status, reason, message = '' } = (await updated()) ?? {}
        return status === 'False' && reason === 'RenderPending' && message.includes(text)
      })
    /** A rendered pool with Updated=True, as the rollout controller sets it. */
    const updatedPool = async (windowMs: number): Promise<string> => {
      await controllerConfig(client)
      await pool(client, 'worker', ['worker'])
      await machineConfig(client, '00-a', 'worker', motd('a'))
      cluster.run({ windowMs })
      await cluster.isRendered('worker')
      const { status } = await client.get(machineConfigPools, { name: 'worker' })
      const report = { type: 'Updated', status: 'True' as const, reason: '', message: 'all' }
      const conditions = setCondition(status?.conditions, report, '2026-01-01T00:00:00Z')
      const patch = mergePatch({ status: { conditions } })
      await client.patch(machineConfigPools, { name: 'worker' }, patch, { subresource: 'status' })
      return (await target(client, 'worker'))!
    }
    const forever = 86_400_000

    it('is False as soon as an input differs, during the batch window', async () => {
      const first = await updatedPool(forever)
      await machineConfig(client, '60-audit', 'worker', { kernelArguments: ['audit=1'] })
      await isPending('MachineConfig 60-audit')
      expect(await target(client, 'worker')).toBe(first)
    })

    it('is False for a KubeletConfig without a MachineConfig', async () => {
      await updatedPool(forever)
      await client.create(kubeletConfigs, {
        metadata: { name: 'more-pods' },
        spec: { machineConfigPoolSelector: { matchLabels: { pool: 'worker' } } },
      })
      await isPending('KubeletConfig more-pods')
      expect((await cluster.renderDegraded('worker'))?.status).toBe('False')
    })

    it('does not change if inputs change without other contents', async () => {
      await updatedPool(0)
      await cluster.patch('00-a', { metadata: { annotations: { mine: 'x' } } })
      await machineConfig(client, '10-empty', 'worker', {})
      await machineConfig(client, '10-master', 'master', motd('master'))
      await until('10-empty is an input', async () => {
        const { spec } = await client.get(machineConfigPools, { name: 'worker' })
        return spec.configuration?.source?.length === 2
      })
      expect(await updated()).toMatchObject({ status: 'True', message: 'all' })
    })

    it('is False while a MachineConfig is invalid, and left to the rollout controller afterwards', async () => {
      const first = await updatedPool(0)
      await machineConfig(client, '50-bad', 'worker', {
        config: { ignition: { version: '3.2.0' }, storage: { files: [{ path: 'relative' }] } },
      })
      await cluster.isBlocked('worker', 'BadMachineConfig')
      await isPending('MachineConfig 50-bad')
      await client.remove(machineConfigs, { name: '50-bad' })
      await until(
        'the rollout controller decides',
        async () => (await updated())?.reason === 'Rendered',
      )
      expect(await updated()).toMatchObject({ status: 'False' })
      expect(await target(client, 'worker')).toBe(first)
    })
  })
}
