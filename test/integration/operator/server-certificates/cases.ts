import { afterEach, beforeAll, expect, it } from 'vitest'
import { toYaml } from '@machinist/core/encoding/yaml'
import type { KubeClient } from '@machinist/kube/client/client'
import { configMaps, secrets } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { readBundle } from '@machinist/pki/bundle'
import type { KeyPair } from '@machinist/pki/issue'
import { createAuthority, issueCertificate } from '@machinist/pki/issue'
import { installDefinitions } from '../../../../src/api/definitions/definitions.fixture.ts'
import {
  clusterFacts,
  configMaps as sources,
  secrets as fixedSecrets,
  userDataRecord,
} from '../../../../src/api/names.ts'
import { trustRotations } from '../../../../src/api/kinds/resources.ts'
import { installCluster } from '../installed-cluster.ts'
import { ServerCluster } from './server-cluster.ts'

const minute = 60_000
const settings = { userData: { settle: '30m' }, leafSettle: '10m' }

/** Runs on the embedded API server and on a real one. Each case continues from the state of the last one. */
export function serverCertificatesCases(client: KubeClient): void {
  let cluster: ServerCluster

  beforeAll(async () => {
    await installDefinitions(client)
    await installCluster(client)
    await installerCertificate(client)
  })
  afterEach(() => cluster.stop())

  const bundle = async (): Promise<string[]> => {
    const { data = {} } = await client.get(configMaps, place(sources.serverCA))
    return [...readBundle(data['ca-bundle.crt'] ?? '').bundle.keys()]
  }
  const signer = async (): Promise<string | undefined> =>
    (await cluster.certificates())[1]?.fingerprint
  const infrastructure = (status: object): Promise<unknown> =>
    client.patch(
      configMaps,
      { ...clusterFacts },
      mergePatch({ data: { infrastructure: toYaml({ status }) } }),
    )

  it('a certificate of the installer stays until a user hands it over', async () => {
    cluster = new ServerCluster(client)
    const [before] = await cluster.certificates()
    await cluster.until('the operator logs it', async () =>
      cluster.logged.includes('the certificates of the machine config server are not managed'),
    )
    await cluster.until('there is user data', async () => (await cluster.userData()).size > 0)
    expect(await cluster.rotation()).toBeUndefined()
    expect((await cluster.certificates())[0]!.fingerprint).toBe(before!.fingerprint)
    expect(cluster.logged.match(/are not managed/g)).toHaveLength(1)
  })

  it('the certificate changes after all user data has the new CA, and the old CA stays in the bundle', async () => {
    cluster = new ServerCluster(client)
    const installer = await signer()
    const labels = { 'auth.openshift.io/managed-certificate-type': 'target' }
    await client.patch(secrets, { ...fixedSecrets.serverTLS }, mergePatch({ metadata: { labels } }))
    await cluster.until('there is a rotation', async () => (await cluster.rotation()) !== undefined)
    await cluster.change({ spec: settings })
    await cluster.until('it waits for machines', async () => {
      return (await cluster.rotation())?.status?.userData?.settlesAt !== undefined
    })
    expect(await signer()).toBe(installer)
    expect(await cluster.phase()).toBe('Preparing')
    expect(await bundle()).toContain(installer)
    await cluster.until('it is completed', async () => (await cluster.phase()) === 'Completed')
    expect(cluster.changes).toHaveLength(1)
    expect(cluster.changes[0]).toBeGreaterThan(29 * minute)
    expect(await signer()).not.toBe(installer)
    expect(await bundle()).toHaveLength(2)
  })

  it('a rotation reaches all user data before the certificate changes, and leaves one CA', async () => {
    cluster = new ServerCluster(client)
    const before = await signer()
    await cluster.until('it is completed', async () => (await cluster.phase()) === 'Completed')
    await cluster.rotate()
    await cluster.until('it began', async () => (await cluster.phase()) === 'Preparing')
    await cluster.until('the certificate changes', async () => cluster.changes.length > 0)
    expect(cluster.changes[0]).toBeGreaterThan(29 * minute)
    await cluster.until('it is completed', async () => (await cluster.phase()) === 'Completed')
    const after = await signer()
    expect(await bundle()).not.toContain(before)
    for (const authorities of (await cluster.userData()).values()) {
      expect(authorities).toContain(after)
      expect(authorities).not.toContain(before)
    }
    const { data = {} } = await client.get(configMaps, { ...userDataRecord })
    expect(Object.keys(data)).toEqual(['master', 'worker'])
    expect(JSON.stringify(data)).not.toContain('Bearer')
  })

  it('the certificate has the names and addresses of the Infrastructure, and the settings of the user stay', async () => {
    cluster = new ServerCluster(client)
    const before = await signer()
    await infrastructure({
      apiServerInternalURI: 'https://api-int.other.example.com:6443',
      platformStatus: { type: 'BareMetal', baremetal: { apiServerInternalIPs: ['192.0.2.5'] } },
    })
    await cluster.until('the certificate has the address', async () => {
      const [leaf] = await cluster.certificates()
      return leaf!.ipAddresses.includes('192.0.2.5')
    })
    const [leaf] = await cluster.certificates()
    expect(leaf).toMatchObject({
      dnsNames: ['api-int.other.example.com'],
      ipAddresses: ['192.0.2.5'],
      usages: ['server'],
    })
    expect(await signer()).toBe(before)
    expect((await cluster.rotation())?.spec).toMatchObject({
      signer: { validity: '87600h', refresh: '70080h' },
      userData: { settle: '30m' },
      leafSettle: '10m',
    })
  })

  it('a deleted rotation is created again, and one without the label belongs to the user', async () => {
    cluster = new ServerCluster(client)
    const name = 'machine-config-server'
    await client.remove(trustRotations, { name })
    await cluster.until('it is there again', async () => (await cluster.rotation()) !== undefined)
    const spec = {
      targets: [{ ...(await cluster.rotation())!.spec.targets![0]!, hostnames: ['mine'] }],
    }
    await cluster.change({ metadata: { labels: { 'app.kubernetes.io/managed-by': null } }, spec })
    await infrastructure({ apiServerInternalURI: 'https://api-int.third.example.com:6443' })
    await cluster.until('the certificate has the name of the user', async () => {
      const [leaf] = await cluster.certificates()
      return leaf!.dnsNames.join() === 'mine'
    })
    expect((await cluster.rotation())?.spec.targets?.[0]?.hostnames).toEqual(['mine'])
  })
}

const place = ({ namespace, name }: { namespace: string; name: string }) => ({ namespace, name })

/** As OpenShift's installer creates it: the CA is in kube-system, without its key. */
async function installerCertificate(client: KubeClient): Promise<void> {
  const validity = { from: Date.now() - minute, until: Date.now() + 3650 * 24 * 60 * minute }
  const keyKind = 'ecdsa-p256' as const
  const root: KeyPair = await createAuthority({ name: 'root-ca', validity, keyKind })
  const leaf = await issueCertificate(root, {
    commonName: 'system:machine-config-server',
    dnsNames: ['api-int.example.com'],
    usages: ['server'],
    validity,
    keyKind,
  })
  const { key, ...rootCA } = sources.rootCA
  await client.create(configMaps, { metadata: rootCA, data: { [key]: root.certificate } }).catch(
    // The installation of the test cluster has one already.
    () => client.patch(configMaps, rootCA, mergePatch({ data: { [key]: root.certificate } })),
  )
  const base64 = (text: string): string => Buffer.from(text).toString('base64')
  await client.create(secrets, {
    metadata: { ...fixedSecrets.serverTLS },
    type: 'kubernetes.io/tls',
    data: { 'tls.crt': base64(leaf.certificate + root.certificate), 'tls.key': base64(leaf.key) },
  })
}
