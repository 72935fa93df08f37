import type { DNS, Image, Infrastructure, Proxy } from '../../api/openshift-config.ts'
import type { ControllerConfig } from '../../api/resources.ts'
import { applyMergePatch } from '@machinist/core/merge-patch'
import type { KubeObject } from '@machinist/core/resource'
import { keyOf, keyText } from '@machinist/core/resource'
import type { ConfigMap, Secret, ServiceAccount } from '@machinist/kube/kinds/core'
import type { Reading } from '../inputs/cluster-reading.ts'
import { emptySpec } from '../../api/new-controller-config.ts'
import type { ConfigMapWrite } from './config-map-write.ts'
import type { TrustDecision } from './decide.ts'
import { decide } from './decide.ts'
import type { Seen, TrustFacts } from './facts.ts'
import { fieldsOf } from './fields.ts'
import { base64, ca, today } from '@machinist/testing/certificates'

/** Where each input has its certificates, as administrators know it. */
export const places = {
  kubelet: ['openshift-config-managed/kube-apiserver-client-ca', 'ca-bundle.crt'],
  initial: ['openshift-config/initial-kube-apiserver-server-ca', 'ca-bundle.crt'],
  signer: [
    'openshift-kube-apiserver-operator/kube-apiserver-to-kubelet-client-ca',
    'ca-bundle.crt',
  ],
  server: ['openshift-machine-config-operator/machine-config-server-ca', 'ca-bundle.crt'],
  root: ['kube-system/root-ca', 'ca.crt'],
  cloud: ['openshift-config-managed/kube-cloud-config', 'ca-bundle.pem'],
  user: ['openshift-config/user-ca-bundle', 'ca-bundle.crt'],
  proxy: ['openshift-config/proxy-ca', 'ca-bundle.crt'],
  managed: ['openshift-config-managed/image-registry-ca', 'registry.example..5000'],
  ours: ['openshift-config/registry-cas', 'quay.example'],
  apiServer: ['openshift-config-managed/kube-apiserver-server-ca', 'ca-bundle.crt'],
} as const satisfies Record<string, readonly [object: string, key: string]>

export type Place = keyof typeof places

export const puller = 'openshift-machine-config-operator/puller-dockercfg'
export const pullSecret = 'openshift-config/pull-secret'

/** A cluster in memory, as the loop sees it: it takes over what was decided like an API server would. */
export class Cluster {
  now = today
  controllerConfig: ControllerConfig | undefined
  readonly configMaps = new Map<string, ConfigMap>()
  readonly secrets = new Map<string, Secret>()
  puller: ServiceAccount | undefined
  registryOperator: KubeObject | undefined
  image: Reading<Image> = { is: 'nothing' }
  proxy: Reading<Proxy> = { is: 'nothing' }
  infrastructure: Reading<Infrastructure> = { is: 'nothing' }
  dns: Reading<DNS> = { is: 'nothing' }

  /** Puts a text (or bytes) where an input is looked for. */
  put(place: Place, content: string | Uint8Array | undefined): this {
    const [object, key] = places[place]
    const data = typeof content === 'string' ? { data: { [key]: content } } : {}
    const binaryData =
      content instanceof Uint8Array ? { binaryData: { [key]: base64(content) } } : {}
    this.configMaps.set(object, { metadata: metadataOf(object), ...data, ...binaryData })
    return this
  }

  remove(place: Place): this {
    this.configMaps.delete(places[place][0])
    return this
  }

  mark(object: string): void {
    const stored = this.configMaps.get(object)!
    const annotations = { 'machinist.dev/remove': 'true' }
    this.configMaps.set(object, { ...stored, metadata: { ...stored.metadata, annotations } })
  }

  putSecret(object: string, type: string, data: Record<string, string>): this {
    const encoded = Object.entries(data).map(([key, content]) => [key, base64(content)])
    this.secrets.set(object, {
      metadata: metadataOf(object),
      type,
      data: Object.fromEntries(encoded),
    })
    return this
  }

  facts(): TrustFacts {
    return {
      now: this.now,
      controllerConfig: this.controllerConfig,
      lastGood: fieldsOf(this.controllerConfig?.spec ?? emptySpec),
      configMaps: new Map([...this.configMaps].map(([key, object]) => [key, seen(object)])),
      secrets: new Map([...this.secrets].map(([key, object]) => [key, seen(object)])),
      puller: seen(this.puller),
      registryOperator: seen(this.registryOperator),
      image: this.image,
      proxy: this.proxy,
      infrastructure: this.infrastructure,
      dns: this.dns,
    }
  }

  /** Decides and does it, until there is nothing more to do now. */
  settle(): TrustDecision {
    for (let round = 0; round < 5; round++) {
      const decision = decide(this.facts())
      this.take(decision)
      if (!decision.controllerConfig && !decision.kubeconfigData && !decision.mergedCAs) {
        return decision
      }
    }
    throw new Error('there is always something more to write')
  }

  take({ controllerConfig, kubeconfigData, mergedCAs }: TrustDecision): void {
    if (controllerConfig) {
      const { metadata, spec } = this.controllerConfig ?? {
        metadata: { name: 'machine-config-controller' },
        spec: emptySpec,
      }
      const annotations = { ...metadata.annotations, ...controllerConfig.annotations }
      this.controllerConfig = {
        ...this.controllerConfig,
        metadata: { ...metadata, annotations: annotations as Record<string, string> },
        spec: { ...spec, ...controllerConfig.spec },
      }
    }
    if (kubeconfigData) this.#write(kubeconfigData)
    if (mergedCAs) this.#write(mergedCAs)
  }

  #write(write: ConfigMapWrite): void {
    if ('create' in write) {
      this.configMaps.set(keyText(keyOf(write.create)), write.create)
      return
    }
    const key = `${write.about.namespace}/${write.about.name}`
    const stored = this.configMaps.get(key)
    this.configMaps.set(key, applyMergePatch(stored, write.patch) as ConfigMap)
  }
}

/** An installed OpenShift in which every input is given, and the CAs that it gives. */
export function wholeCluster(): Cluster {
  const cluster = new Cluster()
  cluster.configMaps.set('kube-system/bootstrap', { metadata: metadataOf('kube-system/bootstrap') })
  cluster.image = given({ spec: { additionalTrustedCA: { name: 'registry-cas' } } })
  cluster.proxy = given({ spec: { trustedCA: { name: 'proxy-ca' } } })
  cluster.dns = given({ spec: { baseDomain: 'one.example.com' } })
  cluster.infrastructure = given({ spec: {}, status: { platformStatus: { type: 'AWS' } } })
  cluster.registryOperator = { metadata: { name: 'image-registry' } }
  cluster.puller = {
    metadata: metadataOf('openshift-machine-config-operator/machine-os-puller'),
    imagePullSecrets: [{ name: 'puller-dockercfg' }],
  }
  cluster.putSecret(puller, 'kubernetes.io/dockercfg', {
    '.dockercfg': JSON.stringify({ 'r.example': { username: 'u', password: 'CANARY-1' } }),
  })
  cluster.putSecret(pullSecret, 'kubernetes.io/dockerconfigjson', {
    '.dockerconfigjson': JSON.stringify({ auths: { 'quay.example': { auth: 'CANARY-2' } } }),
  })
  for (const [place, pem] of firstCAs) cluster.put(place, pem)
  return cluster
}

const givenPlaces = [
  'kubelet',
  'server',
  'cloud',
  'user',
  'proxy',
  'managed',
  'ours',
  'apiServer',
] as const
const firstCAs = await Promise.all(
  givenPlaces.map(async (place) => [place, await ca(`${place} 1`)] as const),
)

export function given<T extends KubeObject>(object: Omit<T, 'metadata'>): Reading<T> {
  const whole = { metadata: { name: 'cluster' }, ...object } as unknown as T
  return { is: 'given', object: whole, source: { name: 'cluster' } }
}

export const unreachable = {
  is: 'bad',
  problem: { reason: 'NotReachable', message: 'the API does not say' },
} as const

function metadataOf(object: string): { namespace: string; name: string } {
  const [namespace, name] = object.split('/')
  return { namespace: namespace!, name: name! }
}

function seen<T extends KubeObject>(object: T | undefined): Seen<T> {
  return object ? { state: 'here', object } : { state: 'absent' }
}
