import { X509Certificate } from 'node:crypto'
import { nodePaths } from '../../../src/api/node-paths.ts'
import type { ControllerConfigSpec } from '../../../src/api/kinds/controller-config.ts'
import { configMaps, secrets } from '@machinist/kube/kinds/core'
import { ca, expiredCA } from '@machinist/testing/certificates'
import type { Place } from '../../../src/operator/trust/cluster.fixture.ts'
import { places, puller, pullSecret } from '../../../src/operator/trust/cluster.fixture.ts'
import type { LaneNode, WholeLane } from './whole-lane.ts'

export const better = await ca('better')
const good = await ca('good')

/** What is put under a key: text, bytes, something under another key, or no object at all. */
export type Content = string | Uint8Array | typeof noKey | typeof noObject
const noKey = Symbol('no key')
export const noObject = Symbol('no object')

/** A source, and where what it gives can be seen. */
export interface Source {
  readonly name: string
  /** As the condition names it. */
  readonly input: string
  readonly object: string
  readonly key: string
  /** For Secrets, the type. */
  readonly type?: string
  /** The file in which nodes have it. */
  readonly path?: string
  /** Where no file of a node has it: the field of the ControllerConfig. */
  readonly field?: keyof ControllerConfigSpec
  /** What this very source can be given without being wrong. */
  readonly takes?: readonly string[]
  /** Another that counts only while this one is not there. */
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

/** Clouds may have no CAs, and whoever names a registry's CAs names them key by key. */
const may = { goAway: ['another key', 'no object'], beEmpty: ['another key'] } as const

/** Of two halves: while one is given garbage, the other one changes. */
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

/** What makes a source bad, and what the condition says about it. */
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

/** What looks strange and is good. */
export const harmlessFeeds: readonly (readonly [what: string, content: string])[] = [
  ['twice the same', good + good],
  ['another order', better + good],
  ['CRLF', (good + better).replaceAll('\n', '\r\n')],
  ['expired among others', expiredCA + good],
]

/** Puts it where the source is looked for, in place of all that was there. */
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

/** CAs in both kubeconfigs, one after the other. */
export async function kubeconfigCAs(node: LaneNode): Promise<string> {
  const texts = await Promise.all(
    [nodePaths.bootstrapKubeconfig, nodePaths.kubeletKubeconfig].map((path) => node.read(path)),
  )
  return texts
    .map((text) => /certificate-authority-data: (\S+)/.exec(text ?? '')?.[1] ?? '')
    .map((data) => Buffer.from(data, 'base64').toString())
    .join('')
}
