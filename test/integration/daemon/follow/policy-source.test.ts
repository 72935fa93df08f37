import { describe, expect, it } from 'vitest'
import type { MachineConfiguration } from '../../../../src/api/resources.ts'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { PolicySource } from '../../../../src/daemon/follow/policy-source.ts'
import { KubeClient } from '@machinist/kube/client'
import { ApiFailure } from '@machinist/kube/failure'
import type { Request, Transport } from '@machinist/kube/transport'
import { defaultPolicies } from '../../../../src/api/disruption-policy/defaults.ts'

const { signal } = new AbortController()
const none = [{ type: 'None' }] as const
const files = [{ path: '/etc/motd', actions: [...none] }]

const overridePath =
  '/api/v1/namespaces/openshift-machine-config-operator/configmaps/image-registry-override-drain'

/** A cluster that has this MachineConfiguration, or none. */
class Cluster implements Transport {
  found: Partial<MachineConfiguration> | undefined
  broken = false
  /** How it answers when it is asked for the ConfigMap. */
  override: 200 | 403 | 404 | 500 = 404

  async request({
    path,
  }: Request): Promise<{ code: number; contentType: string; body: Uint8Array }> {
    const asked = { method: 'GET', path }
    if (this.broken) throw new ApiFailure(asked, 500, {})
    if (path === overridePath) {
      if (this.override !== 200) throw new ApiFailure(asked, this.override, {})
      return { code: 200, contentType: 'application/json', body: Buffer.from('{"metadata":{}}') }
    }
    if (!this.found) throw new ApiFailure(asked, 404, {})
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
  it('of a generation are never asked for', async () => {
    const { cluster, policies } = source('4.12')
    cluster.broken = true
    expect(await policies.current(signal)).toEqual({ rules: '4.12' })
  })

  it('are the built-in ones on a plain Kubernetes', async () => {
    const { policies } = source()
    const { rules } = await policies.current(signal)
    expect(rules).toEqual({ policies: defaultPolicies })
  })

  it('are those of the status, with the overrides of the spec', async () => {
    const { cluster, policies } = source()
    cluster.found = ready(2)
    expect(await policies.current(signal)).toEqual({
      rules: { policies: { files } },
      overrides: ['Disks'],
    })
  })

  it('are waited for while the operator is behind, for two minutes; then the last good ones count', async () => {
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
    expect(late.note).toContain('the last policy that was counts')
  })

  it('are waited for anew when they are needed the next time', async () => {
    const { cluster, clock, policies } = source()
    cluster.found = ready(3)
    await policies.current(signal)
    await clock.advance(120_000)
    expect((await policies.current(signal)).waitMs).toBeUndefined()
    // That update is over; much later there is another one.
    await clock.advance(3_600_000)
    cluster.found = ready(4)
    expect(await policies.current(signal)).toMatchObject({ waitMs: 5000 })
  })

  it('are made of the spec where nobody ever wrote a status', async () => {
    const { cluster, clock, policies } = source()
    const made = { metadata: { name: 'cluster', generation: 1 } }
    cluster.found = { ...made, spec: { nodeDisruptionPolicy: { files } } }
    await policies.current(signal)
    await clock.advance(120_000)
    const { rules, note } = await policies.current(signal)
    expect(rules).toMatchObject({ policies: { sshkey: { actions: none } } })
    expect(JSON.stringify(rules)).toContain('/etc/motd')
    expect(note).toContain('its spec counts')
  })

  it('are the built-in ones where the spec is no policy either', async () => {
    const { cluster, clock, policies } = source()
    const nonsense = { files: [{ path: '/x', actions: [{ type: 'Explode' }] }] }
    const spec = { nodeDisruptionPolicy: nonsense } as unknown as MachineConfiguration['spec']
    cluster.found = { metadata: { name: 'cluster', generation: 1 }, spec }
    await policies.current(signal)
    await clock.advance(120_000)
    const { rules, note } = await policies.current(signal)
    expect(rules).toEqual({ policies: defaultPolicies })
    expect(note).toContain('the built-in policy counts')
  })

  it.each(['4.16', 'policy'] as const)(
    'of %s drain nobody for registries.conf while the ConfigMap is there',
    async (rules) => {
      const { cluster, policies } = source(rules)
      cluster.override = 200
      expect(await policies.current(signal)).toMatchObject({ registryDrainOverride: true })
      expect(policies.unasked()).not.toHaveProperty('registryDrainOverride')
      cluster.override = 404
      expect(await policies.current(signal)).not.toHaveProperty('registryDrainOverride')
      // An administrator who wants it has to let the daemon see it.
      cluster.override = 403
      expect(await policies.current(signal)).not.toHaveProperty('registryDrainOverride')
      cluster.override = 500
      await expect(policies.current(signal)).rejects.toMatchObject({ code: 500 })
    },
  )

  it('cannot be had from a server that fails', async () => {
    const { cluster, policies } = source()
    cluster.broken = true
    await expect(policies.current(signal)).rejects.toMatchObject({ code: 500 })
  })
})
