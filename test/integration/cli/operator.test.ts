import { once } from 'node:events'
import { expect, it } from 'vitest'
import { isNotFound } from '@machinist/kube/failure'
import { leases } from '@machinist/kube/kinds/coordination'
import { until } from '@machinist/testing/until'
import { controllerConfigs } from '../../../src/api/kinds/resources.ts'
import { startComponentCluster } from './component-process.ts'

const namespace = 'openshift-machine-config-operator'

it(
  'machinist operator acquires its Lease, works, exposes metrics, and ends cleanly',
  { timeout: 60_000 },
  async () => {
    await using cluster = await startComponentCluster(
      namespace,
      'openshift-config',
      'openshift-config-managed',
    )
    const { client } = cluster
    const { child, identity, page } = await cluster.start('operator')
    const lease = { namespace, name: 'machine-config' }
    expect((await client.get(leases, lease)).spec?.holderIdentity).toBe(identity)
    await until('the operator has created a ControllerConfig', async () => {
      try {
        await client.get(controllerConfigs, { name: 'machine-config-controller' })
        return true
      } catch (error) {
        if (!isNotFound(error)) throw error
        return false
      }
    })
    expect(await page('/metrics')).toContain('machinist_operator_input_degraded{input="network"} 1')

    child.kill('SIGTERM')
    await once(child, 'exit')
    expect(child.exitCode).toBe(0)
    expect((await client.get(leases, lease)).spec?.holderIdentity).toBe('')
  },
)
