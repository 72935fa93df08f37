import { once } from 'node:events'
import { expect, it } from 'vitest'
import { leases } from '@machinist/kube/kinds/coordination'
import { configMaps, secrets } from '@machinist/kube/kinds/core'
import { until } from '@machinist/testing/until'
import { trustRotations } from '../../../src/api/kinds/resources.ts'
import { startComponentCluster } from './component-process.ts'

const namespace = 'openshift-machine-config-operator'

it(
  'machinist signer acquires its Lease, creates the objects of a TrustRotation, exposes metrics, and ends cleanly',
  { timeout: 60_000 },
  async () => {
    await using cluster = await startComponentCluster(namespace, 'example')
    const { client } = cluster
    await client.create(trustRotations, {
      metadata: { name: 'example' },
      spec: {
        signer: { namespace: 'example', name: 'signer' },
        bundle: { namespace: 'example', name: 'signer-ca' },
        targets: [{ namespace: 'example', name: 'client', usage: 'client', commonName: 'someone' }],
      },
    })
    const { child, identity, page } = await cluster.start('signer', '--approve-requests=no')
    const lease = { namespace, name: 'machinist-signer' }
    expect((await client.get(leases, lease)).spec?.holderIdentity).toBe(identity)
    await until('the rotation is completed', async () => {
      const { status } = await client.get(trustRotations, { name: 'example' })
      return status?.phase === 'Completed'
    })
    const signer = await client.get(secrets, { namespace: 'example', name: 'signer' })
    expect(Object.keys(signer.data ?? {}).sort()).toEqual(['tls.crt', 'tls.key'])
    const bundle = await client.get(configMaps, { namespace: 'example', name: 'signer-ca' })
    expect(bundle.data?.['ca-bundle.crt']).toBe(
      Buffer.from(signer.data!['tls.crt']!, 'base64').toString(),
    )
    const target = await client.get(secrets, { namespace: 'example', name: 'client' })
    expect(target.metadata.annotations?.['auth.openshift.io/certificate-issuer']).toMatch(
      /^example_signer@\d+$/,
    )
    const metrics = await page('/metrics')
    expect(metrics).toContain('machinist_rotation_phase{rotation="example",phase="Completed"} 1')
    expect(metrics).toContain('machinist_rotation_degraded{rotation="example"} 0')

    child.kill('SIGTERM')
    await once(child, 'exit')
    expect(child.exitCode).toBe(0)
    expect((await client.get(leases, lease)).spec?.holderIdentity).toBe('')
  },
)
