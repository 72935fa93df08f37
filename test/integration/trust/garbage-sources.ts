import { X509Certificate } from 'node:crypto'
import { configMaps, secrets } from '@machinist/kube/kinds/core'
import { ca, expiredCA } from '@machinist/testing/certificates/certificates'
import { nodePaths } from '../../../src/api/node-paths.ts'
import type { ControllerConfigSpec } from '../../../src/api/kinds/controller-config.ts'
import type { Place } from '../../../src/operator/trust/cluster.fixture.ts'
import { places, puller, pullSecret } from '../../../src/operator/trust/cluster.fixture.ts'
import type { LaneNode, WholeLane } from './whole-lane.ts'

export const better = await ca('better')
const good = await ca('good')

/** The content of a key: text, bytes, another key, or no object. */
export type Content = string | Uint8Array | typeof noKey | typeof noObject
const noKey = Symbol('no key')
export const noObject = Symbol('no object')

/** A source, and where its content is visible. */
export interface Source {
  readonly name: string
  /** The name in the condition. */
  readonly input: string
  readonly object: string
  readonly key: string
  /** The type of a Secret. */
  readonly type?: string
  /** The file on nodes. */
  readonly path?: string
  /** The field of the ControllerConfig, if no file on nodes contains it. */
  readonly field?: keyof ControllerConfigSpec
  /** Content that is valid for this source. */
  readonly takes?: readonly string[]
  /** Another source that counts only while this one is absent. */
  readonly hides?: string
}

const certificates = (
  place: Place,
  input: string,
  more: Pick<Source, 'path' | 'field' | 'takes' | 'hides'> = {},
): Source => ({ name: place, input, object: places[place][0], key: places[place][1], ...more })

const logins = (name: string, object: string, key: string, type: string): Source => {
  const path = nodePaths.registryPullSecret
  return { name, input: 'pull-secret', object, key, type, path, takes: ['another key'] }
}

/** Cloud CAs are optional, and registry CAs have one key per host. */
const may = { goAway: ['another key', 'no object'], beEmpty: ['another key'] } as const

/** One half of the sources gets invalid content while the other half changes. */
export const halves: readonly (readonly Source[])[] = [
  [
    certificates('kubelet', 'kubelet-client-ca', { path: nodePaths.kubeletCA }),
    certificates('managed', 'registry-cas-managed', {
      path: '/etc/docker/certs.d/registry.example:5000/ca.crt',
      takes: may.goAway,
    }),
    certificates('user', 'trust-bundle', { field: 'additionalTrustBundle', takes: ['no object'] }),
    certificates('server', 'mcs-ca', { field: 'rootCAData', takes: ['no object'], hides: 'root' }),
    logins('pull secret', pullSecret, '.dockerconfigjson', 'kubernetes.io/dockerconfigjson'),
  ],
  [
    certificates('cloud', 'cloud-ca', { path: nodePaths.cloudCA, takes: may.goAway }),
    certificates('ours', 'registry-cas-user', {
      path: '/etc/docker/certs.d/quay.example/ca.crt',
      takes: may.beEmpty,
    }),
    certificates('proxy', 'trust-bundle', { field: 'additionalTrustBundle' }),
    certificates('root', 'mcs-ca', { field: 'rootCAData' }),
    certificates('apiServer', 'api-server-ca', { takes: ['1 MB'] }),
    logins('puller', puller, '.dockercfg', 'kubernetes.io/dockercfg'),
  ],
]

interface Feed {
  readonly what: string
  readonly certificates: readonly [Content, reason: string]
  readonly logins: readonly [Content, reason: string]
}

const der = new Uint8Array(new X509Certificate(good).raw)
const feed = (what: string, bundle: Feed['certificates'], json: Feed['logins']): Feed => ({
  what,
  certificates: bundle,
  logins: json,
})

/** Invalid content, and the expected condition. */
export const badFeeds: readonly Feed[] = [
  feed('garbage', ['hello, CANARY', 'NotPEM'], ['hello, CANARY', 'NotJSON']),
  feed('nothing', ['', 'Empty'], ['', 'Empty']),
  feed('expired', [expiredCA, 'Expired'], ['"CANARY"', 'NotJSON']),
  feed(
    '1 MB',
    [`${'# CANARY\n'.repeat(115_000)}${good}`, 'TooLarge'],
    ['CANARY '.repeat(140_000), 'NotJSON'],
  ),
  feed(
    'cut off',
    [`${good}${better.slice(0, 300)}`, 'BrokenPEM'],
    ['{"auths":{"CANARY":{', 'NotJSON'],
  ),
  feed('another type', [der, 'NotPEM'], ['["CANARY"]', 'NotJSON']),
  feed('another key', [noKey, 'MissingKey'], [noKey, 'MissingKey']),
  feed('no object', [noObject, 'Missing'], [noObject, 'Missing']),
]

/** Unusual but valid content. */
export const harmlessFeeds: readonly (readonly [what: string, content: string])[] = [
  ['twice the same', good + good],
  ['another order', better + good],
  ['CRLF', (good + better).replaceAll('\n', '\r\n')],
  ['expired among others', expiredCA + good],
]

/** Replaces the content of the source. */
export async function put(lane: WholeLane, source: Source, content: Content): Promise<void> {
  const [namespace, name] = source.object.split('/') as [string, string]
  const resource = source.type === undefined ? configMaps : secrets
  const isThere = (await lane.find(resource, { namespace, name })) !== undefined
  if (content === noObject) {
    if (isThere) await lane.client.remove(resource, { namespace, name })
    return
  }
  const metadata = { namespace, name }
  const [dataKey, value] = content === noKey ? ['another', good] : [source.key, content]
  const base64 = Buffer.from(value).toString('base64')
  if (source.type !== undefined) {
    const object = { metadata, type: source.type, data: { [dataKey]: base64 } }
    await (isThere ? lane.client.replace(secrets, object) : lane.client.create(secrets, object))
    return
  }
  const object =
    typeof value === 'string'
      ? { metadata, data: { [dataKey]: value } }
      : { metadata, binaryData: { [dataKey]: base64 } }
  await (isThere ? lane.client.replace(configMaps, object) : lane.client.create(configMaps, object))
}

/** The CAs of both kubeconfigs. */
export async function kubeconfigCAs(node: LaneNode): Promise<string> {
  const texts = await Promise.all(
    [nodePaths.bootstrapKubeconfig, nodePaths.kubeletKubeconfig].map((path) => node.read(path)),
  )
  return texts
    .map((text) => /certificate-authority-data: (\S+)/.exec(text ?? '')?.[1] ?? '')
    .map((data) => Buffer.from(data, 'base64').toString())
    .join('')
}
