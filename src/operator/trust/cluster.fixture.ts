import { applyMergePatch } from '@machinist/core/objects/merge-patch'
import type { KubeObject } from '@machinist/core/objects/resource'
import { keyOf, keyText } from '@machinist/core/objects/resource'
import type { ConfigMap, Secret, ServiceAccount } from '@machinist/kube/kinds/core'
import { base64, ca, today } from '@machinist/testing/certificates/certificates'
import type { DNS, Image, Infrastructure, Proxy } from '../../api/openshift-config.ts'
import type { ControllerConfig } from '../../api/kinds/resources.ts'
import type { ClusterReading } from '../inputs/cluster-reading.ts'
import { emptyControllerConfigSpec } from '../../api/kinds/new-controller-config.ts'
import type { ConfigMapWrite } from './sources/config-map-write.ts'
import type { TrustPlan } from './decide.ts'
import { decide } from './decide.ts'
import type { ObservedObject, TrustFacts } from './facts/facts.ts'
import { fieldsOf } from './facts/fields.ts'

/** The object and key of each input. */
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

/** A cluster in memory: it applies decisions like an API server. */
export class Cluster {
  now = today
  controllerConfig: ControllerConfig | undefined
  readonly configMaps = new Map<string, ConfigMap>()
  readonly secrets = new Map<string, Secret>()
  puller: ServiceAccount | undefined
  registryOperator: KubeObject | undefined
  image: ClusterReading<Image> = { type: 'absent' }
  proxy: ClusterReading<Proxy> = { type: 'absent' }
  infrastructure: ClusterReading<Infrastructure> = { type: 'absent' }
  dns: ClusterReading<DNS> = { type: 'absent' }

  /** Sets the content of an input. */
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
      isFirstPass: false,
      readFailures: [],
      controllerConfig: this.controllerConfig,
      lastGood: fieldsOf(this.controllerConfig?.spec ?? emptyControllerConfigSpec),
      configMaps: new Map([...this.configMaps].map(([key, object]) => [key, observed(object)])),
      secrets: new Map([...this.secrets].map(([key, object]) => [key, observed(object)])),
      puller: observed(this.puller),
      registryOperator: observed(this.registryOperator),
      image: this.image,
      proxy: this.proxy,
      infrastructure: this.infrastructure,
      dns: this.dns,
    }
  }

  /** Decides and applies, until there is nothing to write. */
  settle(): TrustPlan {
    for (let round = 0; round < 5; round++) {
      const decision = decide(this.facts())
      this.apply(decision)
      if (!decision.controllerConfig && !decision.kubeconfigData && !decision.mergedCAs) {
        return decision
      }
    }
    throw new Error('the cluster does not settle')
  }

  apply({ controllerConfig, kubeconfigData, mergedCAs }: TrustPlan): void {
    if (controllerConfig) {
      const { metadata, spec } = this.controllerConfig ?? {
        metadata: { name: 'machine-config-controller' },
        spec: emptyControllerConfigSpec,
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

/** An installed OpenShift cluster with all inputs. */
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

export function given<T extends KubeObject>(object: Omit<T, 'metadata'>): ClusterReading<T> {
  const whole = { metadata: { name: 'cluster' }, ...object } as unknown as T
  return { type: 'given', object: whole, source: { name: 'cluster' } }
}

export const unreachable = {
  type: 'invalid',
  problem: { reason: 'NotReachable', message: 'cannot read it' },
} as const

function metadataOf(object: string): { namespace: string; name: string } {
  const [namespace, name] = object.split('/')
  return { namespace: namespace!, name: name! }
}

function observed<T extends KubeObject>(object: T | undefined): ObservedObject<T> {
  return object ? { state: 'present', object } : { state: 'absent' }
}
