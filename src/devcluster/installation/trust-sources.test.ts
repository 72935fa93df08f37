import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer } from '@machinist/apiserver/running-server.fixture'
import type { RunningServer } from '@machinist/apiserver/running-server.fixture'
import { ca } from '@machinist/testing/certificates/certificates'
import { until } from '@machinist/testing/until'
import { systemClock } from '@machinist/core/clock'
import { silentLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { systemRandom } from '@machinist/core/random'
import type { KubeClient } from '@machinist/kube/client/client'
import { configMaps, namespaces, secrets } from '@machinist/kube/kinds/core'
import { createAuthority, validFor } from '@machinist/pki/issue'
import { installDefinitions } from '../../api/definitions/definitions.fixture.ts'
import { namespaces as known } from '../../api/names.ts'
import { trustRotations } from '../../api/kinds/resources.ts'
import { createIfMissing } from '../objects/create-object.ts'
import { waitForInstallation } from './installation.ts'
import { createTrustSources } from './trust-sources.ts'

const validity = validFor(systemClock, 86_400_000)
const authority = await createAuthority({ name: 'machinist', validity })
const signerSpace = 'openshift-kube-apiserver-operator'
const managed = 'openshift-config-managed'

let server: RunningServer
let client: KubeClient
beforeAll(async () => {
  server = await startServer()
  client = server.client
  await installDefinitions(client)
})
afterAll(() => server[Symbol.asyncDispose]())

const make = (): Promise<void> => {
  const hostnames = ['localhost', '127.0.0.1', '::1']
  return createTrustSources({ client, clock: systemClock, authority, hostnames, speed: 1 })
}

/** A cluster before the installation. */
async function afresh(): Promise<void> {
  for (const name of Object.values(known)) {
    await createIfMissing(client, namespaces, { metadata: { name } })
    for (const kind of [configMaps, secrets]) {
      for (const { metadata } of (await client.list(kind, { namespace: name })).items) {
        await client.remove(kind, { namespace: name, name: metadata.name })
      }
    }
  }
  for (const { metadata } of (await client.list(trustRotations)).items) {
    await client.remove(trustRotations, { name: metadata.name })
  }
}

const put = (namespace: string, name: string, data: Record<string, string>): Promise<unknown> =>
  client.create(configMaps, { metadata: { namespace, name }, data })

const dataOf = async (
  namespace: string,
  name: string,
): Promise<Record<string, string> | undefined> => {
  const { items } = await client.list(configMaps, { namespace })
  return items.find(({ metadata }) => metadata.name === name)?.data
}

describe('sources of trust', () => {
  it('are two CAs for the signer, one of which is already in use', async () => {
    await afresh()
    await make()
    const { items } = await client.list(trustRotations)
    expect(items.map(({ metadata, spec }) => [metadata.name, spec])).toEqual([
      [
        'kube-apiserver-serving',
        {
          signer: {
            namespace: signerSpace,
            name: 'loadbalancer-serving-signer',
            key: 'ECDSA-P256',
            validity: '87600h',
            refresh: '70080h',
          },
          bundle: { namespace: signerSpace, name: 'loadbalancer-serving-ca' },
          publishedIn: [
            {
              namespace: managed,
              name: 'kube-apiserver-server-ca',
              with: [{ namespace: signerSpace, name: 'localhost-serving-ca' }],
            },
          ],
          targets: [
            {
              namespace: 'openshift-kube-apiserver',
              name: 'external-loadbalancer-serving-certkey',
              key: 'ECDSA-P256',
              usage: 'server',
              commonName: 'machinist-apiserver',
              hostnames: ['localhost', '127.0.0.1', '::1'],
            },
          ],
          trustedBy: 'api-server-ca',
          nodeSettle: '10s',
          leafSettle: '10s',
        },
      ],
      [
        'kube-apiserver-to-kubelet',
        {
          signer: {
            namespace: signerSpace,
            name: 'kube-apiserver-to-kubelet-signer',
            key: 'ECDSA-P256',
          },
          bundle: { namespace: signerSpace, name: 'kube-apiserver-to-kubelet-client-ca' },
          publishedIn: [
            {
              namespace: managed,
              name: 'kube-apiserver-client-ca',
              with: [{ namespace: 'openshift-config', name: 'admin-kubeconfig-client-ca' }],
            },
          ],
          targets: [
            {
              namespace: 'openshift-kube-apiserver',
              name: 'kubelet-client',
              key: 'ECDSA-P256',
              usage: 'client',
              commonName: 'system:kube-apiserver',
              organizations: ['kube-master'],
            },
          ],
          trustedBy: 'kubelet-client-ca',
          nodeSettle: '10s',
          leafSettle: '10s',
        },
      ],
    ])
    const { items: kept } = await client.list(secrets, { namespace: signerSpace })
    expect(kept.map(({ metadata }) => metadata.name)).toEqual(['loadbalancer-serving-signer'])
    expect(kept[0]).toMatchObject({
      type: 'kubernetes.io/tls',
      metadata: { annotations: { 'auth.openshift.io/certificate-issuer': 'machinist' } },
      data: {
        'tls.crt': Buffer.from(authority.certificate).toString('base64'),
        'tls.key': Buffer.from(authority.key).toString('base64'),
      },
    })
  })

  it('are complete when the signer has published them', async () => {
    const stop = new AbortController()
    const tools = {
      client,
      clock: systemClock,
      random: systemRandom,
      log: silentLogger,
      metrics: new Metrics(),
    }
    const early = waitForInstallation(tools, stop.signal)
    stop.abort()
    await early
    expect(await dataOf('kube-system', 'bootstrap')).toBeUndefined()

    const { signal } = new AbortController()
    const ended = waitForInstallation(tools, signal)
    await put(managed, 'kube-apiserver-client-ca', {})
    expect(await dataOf('kube-system', 'bootstrap')).toBeUndefined()
    await put(managed, 'kube-apiserver-server-ca', {})
    await ended
    await until('the installation is completed', async () => {
      return (await dataOf('kube-system', 'bootstrap'))?.['status'] === 'complete'
    })
    // It no longer waits, even if the bundle is deleted.
    await client.remove(configMaps, { namespace: managed, name: 'kube-apiserver-server-ca' })
    await waitForInstallation(tools, signal)
  })

  it('of a cluster from before the signer are kept, with the CAs of other writers', async () => {
    await afresh()
    const signer = await createAuthority({ name: 'kube-apiserver-to-kubelet-signer@1', validity })
    const stranger = await ca('stranger')
    await client.create(secrets, {
      metadata: { namespace: signerSpace, name: 'kube-apiserver-to-kubelet-signer' },
      data: { 'tls.crt': Buffer.from(signer.certificate).toString('base64') },
    })
    const bundle = { 'ca-bundle.crt': signer.certificate }
    await put(signerSpace, 'kube-apiserver-to-kubelet-client-ca', bundle)
    const published = { 'ca-bundle.crt': signer.certificate + stranger }
    await put(managed, 'kube-apiserver-client-ca', published)
    await put(managed, 'kube-apiserver-server-ca', { 'ca-bundle.crt': authority.certificate })
    await put('kube-system', 'bootstrap', { status: 'complete' })
    await make()
    expect((await client.list(trustRotations)).items).toHaveLength(2)
    expect(await dataOf('openshift-config', 'admin-kubeconfig-client-ca')).toEqual({
      'ca-bundle.crt': stranger,
    })
    expect(await dataOf(signerSpace, 'localhost-serving-ca')).toBeUndefined()
    // Objects that the user has deleted are not recreated.
    expect(await dataOf('kube-system', 'root-ca')).toBeUndefined()
    expect(await dataOf('kube-system', 'bootstrap')).toEqual({
      status: 'complete',
      rotations: 'made',
    })
    await client.remove(trustRotations, { name: 'kube-apiserver-serving' })
    await make()
    expect((await client.list(trustRotations)).items).toHaveLength(1)
  })
})
