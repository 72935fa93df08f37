import { describe, expect, it } from 'vitest'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { KubeClient } from '@machinist/kube/client/client'
import { ApiFailure } from '@machinist/kube/failure'
import type { ApiRequest, Transport } from '@machinist/kube/transport/transport'
import type { MachineConfiguration } from '../../../../src/api/kinds/resources.ts'
import { PolicySource } from '../../../../src/daemon/follow/policy-source.ts'
import { defaultPolicies } from '../../../../src/api/disruption-policy/defaults.ts'

const { signal } = new AbortController()
const none = [{ type: 'None' }] as const
const files = [{ path: '/etc/motd', actions: [...none] }]

const overridePath =
  '/api/v1/namespaces/openshift-machine-config-operator/configmaps/image-registry-override-drain'

/** A cluster with this MachineConfiguration, or without one. */
class Cluster implements Transport {
  found: Partial<MachineConfiguration> | undefined
  broken = false
  /** The response for the ConfigMap. */
  override: 200 | 403 | 404 | 500 = 404

  async request({
    path,
  }: ApiRequest): Promise<{ code: number; contentType: string; body: Uint8Array }> {
    const request = { method: 'GET', path }
    if (this.broken) throw new ApiFailure(request, 500, {})
    if (path === overridePath) {
      if (this.override !== 200) throw new ApiFailure(request, this.override, {})
      return { code: 200, contentType: 'application/json', body: Buffer.from('{"metadata":{}}') }
    }
    if (!this.found) throw new ApiFailure(request, 404, {})
    return {
      code: 200,
      contentType: 'application/json',
      body: Buffer.from(JSON.stringify(this.found)),
    }
  }

  async *stream(): AsyncGenerator<Uint8Array> {}

  close(): void {}
}

function source(rules: '4.12' | '4.16' | 'policy' = 'policy'): {
  cluster: Cluster
  clock: VirtualClock
  policies: PolicySource
} {
  const cluster = new Cluster()
  const clock = new VirtualClock()
  const client = new KubeClient({ transport: cluster, clock })
  return { cluster, clock, policies: new PolicySource(rules, client, clock) }
}

const ready = (generation: number): Partial<MachineConfiguration> => ({
  metadata: { name: 'cluster', generation },
  spec: { irreconcilableValidationOverrides: { storage: ['Disks'] } },
  status: { observedGeneration: 2, nodeDisruptionPolicyStatus: { clusterPolicies: { files } } },
})

describe('the rules', () => {
  it('of an MCO release need no request', async () => {
    const { cluster, policies } = source('4.12')
    cluster.broken = true
    expect(await policies.current(signal)).toEqual({ rules: '4.12' })
  })

  it('are the built-in ones on a cluster without MachineConfiguration', async () => {
    const { policies } = source()
    const { rules } = await policies.current(signal)
    expect(rules).toEqual({ policies: defaultPolicies })
  })

  it('come from the status, with the overrides of the spec', async () => {
    const { cluster, policies } = source()
    cluster.found = ready(2)
    expect(await policies.current(signal)).toEqual({
      rules: { policies: { files } },
      overrides: ['Disks'],
    })
  })

  it('are the last valid ones after two minutes with an outdated status', async () => {
    const { cluster, clock, policies } = source()
    cluster.found = ready(2)
    await policies.current(signal)
    cluster.found = ready(3)
    expect(await policies.current(signal)).toMatchObject({ waitMs: 5000 })
    await clock.advance(119_000)
    expect(await policies.current(signal)).toMatchObject({ waitMs: 1000 })
    await clock.advance(1000)
    const late = await policies.current(signal)
    expect(late.waitMs).toBeUndefined()
    expect(late.rules).toEqual({ policies: { files } })
    expect(late.note).toContain('using the last policy that was')
  })

  it('are waited for again when the next update needs them', async () => {
    const { cluster, clock, policies } = source()
    cluster.found = ready(3)
    await policies.current(signal)
    await clock.advance(120_000)
    expect((await policies.current(signal)).waitMs).toBeUndefined()
    // Another update, much later.
    await clock.advance(3_600_000)
    cluster.found = ready(4)
    expect(await policies.current(signal)).toMatchObject({ waitMs: 5000 })
  })

  it('come from the spec if there is no status', async () => {
    const { cluster, clock, policies } = source()
    const made = { metadata: { name: 'cluster', generation: 1 } }
    cluster.found = { ...made, spec: { nodeDisruptionPolicy: { files } } }
    await policies.current(signal)
    await clock.advance(120_000)
    const { rules, note } = await policies.current(signal)
    expect(rules).toMatchObject({ policies: { sshkey: { actions: none } } })
    expect(JSON.stringify(rules)).toContain('/etc/motd')
    expect(note).toContain('using its spec')
  })

  it('are the built-in ones if the spec is invalid, too', async () => {
    const { cluster, clock, policies } = source()
    const nonsense = { files: [{ path: '/x', actions: [{ type: 'Explode' }] }] }
    const spec = { nodeDisruptionPolicy: nonsense } as unknown as MachineConfiguration['spec']
    cluster.found = { metadata: { name: 'cluster', generation: 1 }, spec }
    await policies.current(signal)
    await clock.advance(120_000)
    const { rules, note } = await policies.current(signal)
    expect(rules).toEqual({ policies: defaultPolicies })
    expect(note).toContain('using the built-in policy')
  })

  it.each(['4.16', 'policy'] as const)(
    'of %s do not drain for registries.conf while the ConfigMap exists',
    async (rules) => {
      const { cluster, policies } = source(rules)
      cluster.override = 200
      expect(await policies.current(signal)).toMatchObject({ registryDrainOverride: true })
      expect(policies.defaults()).not.toHaveProperty('registryDrainOverride')
      cluster.override = 404
      expect(await policies.current(signal)).not.toHaveProperty('registryDrainOverride')
      // Without permission to read the ConfigMap, the override does not apply.
      cluster.override = 403
      expect(await policies.current(signal)).not.toHaveProperty('registryDrainOverride')
      cluster.override = 500
      await expect(policies.current(signal)).rejects.toMatchObject({ code: 500 })
    },
  )

  it('are not available if the server fails', async () => {
    const { cluster, policies } = source()
    cluster.broken = true
    await expect(policies.current(signal)).rejects.toMatchObject({ code: 500 })
  })
})
