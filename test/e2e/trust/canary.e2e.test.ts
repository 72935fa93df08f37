import { readFileSync, statSync } from 'node:fs'
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { messageOf } from '@machinist/core/errors'
import { configMaps, secrets, serviceAccounts } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { createAuthority } from '@machinist/pki/issue'
import { ca } from '@machinist/testing/certificates/certificates'
import { nodePaths } from '../../../src/api/node-paths.ts'
import { proxies } from '../../../src/api/openshift-config.ts'
import {
  controllerConfigs,
  machineConfigPools,
  nodeTrusts,
} from '../../../src/api/kinds/resources.ts'
import { openFlags } from '../../../src/daemon/host/files/disk.ts'
import type { MountedSecrets } from '../../../src/daemon/host/files/mounted-secrets.ts'
import { openSandbox } from '../../../src/daemon/host/sandbox/sandbox.ts'
import { setOpenShiftObject } from '../../integration/operator/trust/running-loop.ts'
import { certsOutput, filesIn, objectsIn } from '../../integration/trust/canary-gather.ts'
import type { Weather } from '../../integration/trust/canary-traps.ts'
import { Canaries, plain, Stormy, WatchedDisk } from '../../integration/trust/canary-traps.ts'
import type { LaneNode } from '../../integration/trust/whole-lane.ts'
import { WholeLane } from '../../integration/trust/whole-lane.ts'

/*
 * Every secret contains a canary, and everything fails that can fail. No canary may appear in any output: logs, events, objects,
 * metrics, errors, commands. No file with a canary may ever be readable by other users.
 */
const canaries = new Canaries()
const facts = { namespace: 'openshift-machine-config-operator', name: 'machinist-cluster' }
const network = 'spec: { serviceNetwork: [10.96.0.0/12] }'
const [apiCA, otherCA] = await Promise.all([ca('api'), ca('other')])
const signer = await createAuthority({
  name: 'kube-apiserver-to-kubelet-signer@1',
  validity: { from: Date.parse('2020-01-01T00:00:00Z'), until: Date.parse('2099-01-01T00:00:00Z') },
})
canaries.know('private key', signer.key.split('\n')[1]!.slice(20))

const disk = new WatchedDisk((text) => canaries.in(text).length > 0)
let weather: Weather = 'fair'
let mounted = ''
let lane: WholeLane
let directory: Awaited<ReturnType<typeof mkdtempDisposable>>
const outputs: string[] = []
/** The sandbox directory of one machine. */
const machine = (): string => join(directory.path, 'machine')

beforeAll(async () => {
  directory = await mkdtempDisposable(join(tmpdir(), 'machinist-canary-'))
  const between = (_: string, inner: ConstructorParameters<typeof Stormy>[0]): Stormy =>
    new Stormy(inner, () => weather)
  lane = await WholeLane.open({ openShift: true, between })
  await setOpenShiftObject(lane.client, 'DNS', { baseDomain: 'one.example.com' })
  await setOpenShiftObject(lane.client, 'Infrastructure', {})
  await setOpenShiftObject(lane.client, 'Image', { additionalTrustedCA: { name: 'registry-cas' } })
  await setOpenShiftObject(lane.client, 'Proxy', {})
  const httpProxy = `http://user:${canaries.make('proxy')}@proxy.example:3128`
  const status = mergePatch({ status: { httpProxy, httpsProxy: httpProxy } })
  await lane.client.patch(proxies, { name: 'cluster' }, status, { subresource: 'status' })
  await setOpenShiftObject(lane.client, 'ClusterOperator', {}, 'image-registry')
  await lane.client.create(serviceAccounts, {
    metadata: { namespace: facts.namespace, name: 'machine-os-puller' },
    imagePullSecrets: [{ name: 'puller-dockercfg' }],
  })
  await put('kube-system/bootstrap', {})
  await put('kube-system/root-ca', { 'ca.crt': otherCA })
  await put('openshift-config-managed/kube-apiserver-client-ca', {
    'ca-bundle.crt': signer.certificate,
  })
  await put('openshift-config-managed/kube-apiserver-server-ca', { 'ca-bundle.crt': apiCA })
  await put('openshift-config/registry-cas', { 'quay.example': otherCA })
  await put(`${facts.namespace}/${facts.name}`, { network })
  const tls = { 'tls.crt': signer.certificate, 'tls.key': signer.key }
  for (const place of [
    'openshift-kube-apiserver-operator/kube-apiserver-to-kubelet-signer',
    `${facts.namespace}/machine-config-server-tls`,
  ]) {
    await putSecret(place, 'kubernetes.io/tls', tls)
  }
  await newSecrets()
})
afterAll(async () => {
  await lane[Symbol.asyncDispose]()
  await directory[Symbol.asyncDispose]()
})

const keyOf = (place: string): { namespace: string; name: string } => {
  const [namespace, name] = place.split('/') as [string, string]
  return { namespace, name }
}

async function put(place: string, data: Record<string, string>): Promise<void> {
  const metadata = keyOf(place)
  const isThere = await lane.find(configMaps, metadata)
  const { client } = lane
  await (isThere
    ? client.replace(configMaps, { metadata, data })
    : client.create(configMaps, { metadata, data }))
}

async function putSecret(
  place: string,
  type: string,
  texts: Record<string, string>,
): Promise<void> {
  const metadata = keyOf(place)
  if (await lane.find(secrets, metadata)) await lane.client.remove(secrets, metadata)
  const data = Object.entries(texts).map(([key, text]) => [
    key,
    Buffer.from(text).toString('base64'),
  ])
  await lane.client.create(secrets, { metadata, type, data: Object.fromEntries(data) })
}

/** Replaces all secrets. */
async function newSecrets(): Promise<void> {
  const auth = Buffer.from(`user:${canaries.make('pull secret')}`).toString('base64')
  const puller = { username: 'u', password: canaries.make('puller'), auth }
  await pullSecrets(
    JSON.stringify({ auths: { 'quay.example': { auth } } }),
    JSON.stringify({ 'image-registry.openshift-image-registry.svc:5000': puller }),
  )
  mounted = JSON.stringify({ auths: { 'mounted.example': { auth: canaries.make('mounted') } } })
}

async function pullSecrets(
  cluster: string,
  puller: string,
  type = 'dockerconfigjson',
): Promise<void> {
  const key = type === 'Opaque' ? type : `kubernetes.io/${type}`
  await putSecret('openshift-config/pull-secret', key, { '.dockerconfigjson': cluster })
  const place = `${facts.namespace}/puller-dockercfg`
  await putSecret(place, 'kubernetes.io/dockercfg', { '.dockercfg': puller })
}

const mountedSecrets: MountedSecrets = {
  roles: async () => ['master', 'worker'],
  read: async (_, key) => (key === '.dockerconfigjson' ? Buffer.from(mounted) : undefined),
  watch: () => ({ close() {} }),
}

const kubeconfig = (users = `{token: ${canaries.make('token')}}`): string => `
clusters:
- cluster:
    certificate-authority-data: ${Buffer.from(apiCA).toString('base64')}
    server: https://api.example
  name: local
users:
- name: kubelet
  user: ${users}
`

async function putKubeconfigs(node: LaneNode, text: () => string): Promise<void> {
  for (const path of [nodePaths.bootstrapKubeconfig, nodePaths.kubeletKubeconfig]) {
    await node.put(path, text(), 0o600)
  }
}

async function joinBoth(): Promise<void> {
  const sandbox = await openSandbox({
    root: machine(),
    clock: lane.clock,
    disk: disk.disk,
    plainLinks: true,
  })
  for (const [name, role, host] of [
    ['master-0', 'master', sandbox],
    ['worker-0', 'worker', undefined],
  ] as const) {
    const node = await lane.join(name, { role, ...(host && { host }) })
    await putKubeconfigs(node, kubeconfig)
    node.on({ mountedSecrets })
  }
}

async function moments(count: number): Promise<void> {
  let left = count
  await lane.until('some time has passed', () => left-- <= 0)
}

async function settled(): Promise<void> {
  await lane.until('all pools are updated', async () => {
    const { items } = await lane.client.list(machineConfigPools)
    const isUpdated = items.map(({ spec, status }) => {
      const name = spec.configuration?.name
      return (
        name !== undefined &&
        status?.configuration?.name === name &&
        status.updatedMachineCount === 1
      )
    })
    return isUpdated.length === 2 && isUpdated.every(Boolean)
  })
  await lane.allCurrent()
}

const degradedReason = async (input: string): Promise<string> => {
  const found = await lane.find(controllerConfigs, { name: 'machine-config-controller' })
  const type = `machinist.dev/InputDegraded.${input}`
  const condition = found?.status?.conditions?.find((each) => each.type === type)
  return condition?.status === 'True' ? `${condition.reason}` : ''
}

it('no output contains a secret, whatever fails', { timeout: 180_000 }, async () => {
  lane.operate()
  await lane.control()
  await joinBoth()
  await settled()
  await badInputs()
  await badWeather()
  await badDisks()
  await stopped()
  outputs.push(...(await certsOutput(lane, directory.path)))
  outputs.push(...lane.lines, ...[...lane.metrics.values()].map((metrics) => metrics.text()))
  outputs.push(...(await objectsIn(lane)))
  const leaks = outputs.flatMap((text) =>
    canaries
      .in(text)
      .map(
        (what) => `${what}: ${text.replace(/"(?:time|reconcileID)":"[^"]*",?/g, '').slice(0, 250)}`,
      ),
  )
  expect([...new Set(leaks)]).toEqual([])

  // The secrets did reach the ControllerConfig, and the outputs do contain the failures.
  const { spec } = await lane.client.get(controllerConfigs, { name: 'machine-config-controller' })
  expect(canaries.in(JSON.stringify(spec))).toEqual(['proxy', 'pull secret', 'puller'])

  const all = outputs.join('\n')
  const expected = [
    '"level":"error"',
    'the file system is read-only',
    '422 Invalid',
    '500 InternalError',
    'is not a JSON object',
    'PEM block',
    'cannot be read',
    'node nobody not found',
    'kube-apiserver-to-kubelet-signer@1',
  ]
  expect(expected.filter((what) => !all.includes(what))).toEqual([])

  expect(disk.exposed).toEqual([])
  expect(disk.secrets).toBeGreaterThan(10)
  const open = filesIn(machine()).flatMap((path) => {
    const isSecret = canaries.in(plain(readFileSync(path))).length > 0
    return isSecret && (statSync(path).mode & 0o077) !== 0 ? [path] : []
  })
  expect(open).toEqual([])
  const file = join(machine(), nodePaths.registryPullSecret)
  expect([canaries.in(readFileSync(file, 'utf8')), statSync(file).mode & 0o777]).toEqual([
    ['pull secret', 'puller', 'mounted'],
    0o600,
  ])
})

/** Invalid texts with secrets in them. */
async function badInputs(): Promise<void> {
  const canary = canaries.make('bad input')
  for (const [cluster, puller, type] of [
    [`{"auths":{"x":{"auth":"${canary}`, '{}'],
    [`{"auths":{"x":{"auth":["${canary}"]}}}`, '{}'],
    [`{"auths":"${canary}"}`, '{}'],
    [`"${canary}"`, '{}'],
    [`{"auths":{}}`, `{"x":{"password":${canary}}}`],
    [`{"auths":{}}`, `[${canary}]`],
    [`{"auths":{"${canary}":{"auth":"${canary}"}}}`, '{}', 'Opaque'],
  ] as const) {
    await pullSecrets(cluster, puller, type)
    await lane.until(
      'the input is degraded',
      async () => (await degradedReason('pull-secret')) !== '',
    )
    await moments(1)
  }
  mounted = `{"auths":{"x":"${canary}`
  const bundle = `${signer.certificate}${signer.key}# ${canary}\n`
  await put('openshift-config/user-ca-bundle', { 'ca-bundle.crt': bundle })
  await put('openshift-config/registry-cas', { 'quay.example': `${canary}\n${signer.key}` })
  await lane.until(
    'the input is degraded',
    async () => (await degradedReason('trust-bundle')) === 'BrokenPEM',
  )
  await lane.until(
    'the input is degraded',
    async () => (await degradedReason('registry-cas-user')) === 'BrokenPEM',
  )
  await put(`${facts.namespace}/${facts.name}`, {
    network: `{ spec: "${canary}`,
    images: `[${canary}]`,
    certificateDelivery: canary,
    containerRuntime: `{ password: ${canary} }`,
    baseOSContainerImage: `["${canary}"]`,
  })
  for (const input of [
    'network',
    'images',
    'certificate-delivery',
    'container-runtime',
    'os-image',
  ]) {
    await lane.until(`${input} is degraded`, async () => (await degradedReason(input)) !== '')
  }
  const users = canaries.make('token')
  const texts = [
    () => `clusters: [{cluster: {token: ${users}`,
    () => `\t${users}: "\n- : ${users}`,
    () => `clusters:\n- cluster:\n    certificate-authority-data: ${users}\n    token: ${users}\n`,
    () => kubeconfig(`{token: "${users}, client-key-data: ${users}`),
    () => `{"clusters":[{"cluster":{"certificate-authority-data":"${users}"}}],"token":${users}}`,
  ]
  for (const [number, text] of texts.entries()) {
    await put('openshift-config-managed/kube-apiserver-server-ca', {
      'ca-bundle.crt': apiCA + (number % 2 ? otherCA : ''),
    })
    for (const node of lane.nodes) await putKubeconfigs(node, text)
    await lane.clock.advance(61_000)
    await moments(4)
  }
  expect(lane.lines.join('')).toContain('/etc/kubernetes/kubeconfig cannot be read')
  for (const node of lane.nodes) await putKubeconfigs(node, kubeconfig)
  await lane.client.remove(configMaps, keyOf('openshift-config/user-ca-bundle'))
  await put('openshift-config/registry-cas', { 'quay.example': otherCA })
  await put(`${facts.namespace}/${facts.name}`, { network })
  await newSecrets()
  await settled()
}

/** The API server refuses, fails and closes connections while secrets are read and written. */
async function badWeather(): Promise<void> {
  for (const next of ['refusing', 'failing', 'down', 'cutting'] as const) {
    weather = next
    await newSecrets()
    await putSecret('openshift-machine-api/worker-user-data-managed', 'Opaque', {
      userData: canaries.make('user data'),
    })
    await moments(12)
    weather = 'fair'
    await moments(3)
  }
  await settled()
}

/** The disk is read-only while secrets are to be written. */
async function badDisks(): Promise<void> {
  disk.isReadOnly = true
  await newSecrets()
  await lane.until('the node reports it', async () => {
    const { status } = await lane.client.get(nodeTrusts, { name: 'master-0' })
    return JSON.stringify(status).includes('the file system is read-only')
  })
  await moments(5)
  disk.isReadOnly = false
  await settled()
}

async function stopped(): Promise<void> {
  try {
    await lane.stop()
  } catch (error) {
    outputs.push(messageOf(error), String((error as Error).stack))
  }
}

it('the traps find canaries and exposed files', async () => {
  const canary = canaries.make('trial')
  const twice = Buffer.from(Buffer.from(`x${canary}y`).toString('base64')).toString('base64')
  expect(canaries.in(`a ${twice} b`)).toEqual(['trial'])
  expect(canaries.in(Buffer.from(`{"a":"${canary}"}`).toString('base64'))).toEqual(['trial'])
  expect(canaries.in('no canary here')).toEqual([])
  const path = join(directory.path, 'trial')
  const file = await disk.disk.open(path, openFlags.create, 0o644)
  await file.chmod(0o644)
  await file.write(Buffer.from(canary))
  await file.close()
  expect(disk.exposed.splice(0)).toEqual([
    'trial 644 before its first byte',
    'trial 644 with its content',
  ])
})
