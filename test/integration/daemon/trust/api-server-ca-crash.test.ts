import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { configMaps, namespaces } from '@machinist/kube/kinds/core'
import { createAuthority } from '@machinist/testing/certificates/tls'
import { until } from '@machinist/testing/until'
import type { Api } from '../cluster/api.ts'
import { startApi } from '../cluster/api.ts'
import { faultyHost, Faults } from '../../../../src/daemon/host/faults.fixture.ts'
import type { Fault } from '../../../../src/daemon/host/faults.fixture.ts'
import { bootstrap, kubeconfig, KubeletNode, own } from './kubelet-node.ts'

const [A, B] = [createAuthority('signer-a').certificate, createAuthority('signer-b').certificate]
const data = { namespace: 'openshift-machine-config-operator', name: 'kubeconfig-data' }

let api: Api
beforeAll(async () => {
  api = await startApi()
  await api.client.create(namespaces, { metadata: { name: data.namespace } })
  const binaryData = { 'ca-bundle.crt': Buffer.from(A + B).toString('base64') }
  await api.client.create(configMaps, { metadata: data, binaryData })
})
afterAll(() => api.stop())

/** The operations that change the machine or depend on its state. */
const isRelevant = (name: string): boolean =>
  /files\.(write|make)|units\.(restart|isHealthy)/.test(name)

interface Attempt {
  readonly node: KubeletNode
  readonly faults: Faults
}

/** A daemon delivers the new CA, and is killed or has a disk error during it. */
async function attempt(fault?: Fault): Promise<Attempt> {
  const node = await new KubeletNode(api.client).set(A)
  const faults = new Faults(fault)
  const run = async (): Promise<void> => {
    const daemon = await node.daemon(undefined, faultyHost(node.host, faults))
    await node.deliver(daemon)
    await node.inEffect(daemon)
  }
  const done = run().catch(() => undefined)
  await Promise.race([done, faults.died])
  return { node, faults }
}

describe('a daemon that is killed', () => {
  it('stores the loaded CAs before it writes, and writes before it restarts', async () => {
    const { faults } = await attempt()
    const steps = faults.operations.filter((name) => /files\.write|units\.restart/.test(name))
    expect(steps).toEqual([
      'files.write /etc/machine-config-daemon/trust.json',
      'files.write /etc/kubernetes/kubeconfig',
      'files.write /var/lib/kubelet/kubeconfig',
      // The start of the running kubelet.
      'files.write /etc/machine-config-daemon/trust.json',
      'units.restart kubelet.service',
      'files.write /etc/machine-config-daemon/trust.json',
    ])
    // No other operation on units: there is no time between a stop and a start.
    const used = new Set(faults.operations.filter((name) => name.startsWith('units.')))
    expect([...used].sort()).toEqual([
      'units.enablement kubelet.service',
      'units.isHealthy kubelet.service',
      'units.lastStart kubelet.service',
      'units.restart kubelet.service',
    ])
  })

  it('at any time is followed by one that completes the work: every kubelet loads the new CA', async () => {
    const count = (await attempt()).faults.operations.filter(isRelevant).length
    expect(count).toBeGreaterThanOrEqual(7)
    for (let at = 1; at <= count; at++) {
      for (const die of ['before', 'after'] as const) {
        const { node } = await attempt({ at, die, by: 'freeze', only: isRelevant })
        const before = node.restarts
        const isWritten = (await node.read(own)) === kubeconfig(A + B)
        const next = await node.daemon()
        await node.deliver(next)
        await node.inEffect(next)
        expect([await node.read(bootstrap), await node.read(own)]).toEqual([
          kubeconfig(A + B),
          kubeconfig(A + B),
        ])
        // A kubelet that was restarted after the write may be restarted again, because its health was not verified.
        const isRestarted = node.restarts > before || (isWritten && before > 0)
        expect([at, die, isRestarted, node.restarts <= 2]).toEqual([at, die, true, true])
        const { loadedAt } = await next.observe()
        expect(loadedAt).toBeDefined()
      }
    }
  })

  it('or whose disk or systemctl fails once succeeds with the next attempt', async () => {
    const count = (await attempt()).faults.operations.filter(isRelevant).length
    for (let at = 1; at <= count; at++) {
      const { node, faults } = await attempt({ at, fail: 'EIO', only: isRelevant })
      const daemon = await node.daemon()
      await until('a retry has written the CA', async () => {
        await node.deliver(daemon)
        return (await node.read(own)) === kubeconfig(A + B)
      })
      await node.inEffect(daemon)
      expect([faults.operations[at - 1], node.restarts > 0]).toEqual([
        faults.operations[at - 1],
        true,
      ])
    }
  })
})
