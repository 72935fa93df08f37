import type { KubeObject } from '@machinist/core/objects/resource'
import type { KubeClient } from '@machinist/kube/client/client'
import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import { isForbidden, isNotFound } from '@machinist/kube/failure'
import { Informer } from '@machinist/kube/informer/informer'
import { OptionalSource } from '@machinist/kube/informer/optional-source'
import { annotations, ownControllerConfigAnnotations } from '../../../api/annotations.ts'
import { names } from '../../../api/names.ts'
import type { ControllerConfig } from '../../../api/kinds/resources.ts'
import { controllerConfigs } from '../../../api/kinds/resources.ts'
import { readTrustDigests } from '../../../api/trust/digests.ts'
import type { CertificateDelivery } from '../../../api/trust/items.ts'
import { certificateDeliveries } from '../../../api/trust/items.ts'

/** The metadata of a ControllerConfig that the trust lane reads. */
export interface ObservedConfig {
  readonly uid: string
  readonly generation: number
  readonly version: string
  readonly delivery: CertificateDelivery
  /** The digests annotation as text; undefined also if it cannot be parsed. */
  readonly digestsAnnotation: string | undefined
  /** The operator has written everything: it sets the generated-by annotation last. */
  readonly isComplete: boolean
  /** `service-ca-rotate` is "true": for a minute, the operator announces a new CA of the API server this way. */
  readonly isRotating: boolean
}

/** Access to the ControllerConfig: its observed metadata, and reads of the whole object. */
export interface ConfigSource {
  observed(): ObservedConfig | undefined
  /** The metadata of an object that was read. */
  observedIn(object: Readonly<KubeObject>): ObservedConfig
  fetch(signal: AbortSignal): Promise<ControllerConfig>
  /** Requests the current metadata. */
  fetchObserved(signal: AbortSignal): Promise<ObservedConfig | undefined>
}

export interface FollowedConfigOptions extends Omit<ControllerContext, 'events'> {
  /** The delivery if the ControllerConfig does not specify one. */
  readonly defaultDelivery: CertificateDelivery
}

const { certificateDelivery, pinnedImages, trustDigests } = ownControllerConfigAnnotations
const { generatedByVersion, serviceCARotate } = annotations
const kept = new Set<string>([
  certificateDelivery,
  pinnedImages,
  trustDigests,
  generatedByVersion,
  serviceCARotate,
])
const own = { name: names.controllerConfig }
const requestMs = 30_000

/** Follows the metadata of the ControllerConfig, so that the cost of a change does not depend on its size. */
export class FollowedConfig implements ConfigSource {
  readonly informer: Informer<KubeObject>
  readonly #client: KubeClient
  readonly #defaultDelivery: CertificateDelivery

  constructor({ client, defaultDelivery, ...options }: FollowedConfigOptions) {
    this.#client = client
    this.#defaultDelivery = defaultDelivery
    const scope = { fields: `metadata.name=${own.name}`, metadataOnly: true } as const
    this.informer = new Informer({
      ...options,
      resource: 'controller config',
      source: new OptionalSource(client.listWatch(controllerConfigs, scope), options.clock),
      transform: slim,
    })
  }

  observed(): ObservedConfig | undefined {
    const found = this.informer.get(own)
    return found && this.observedIn(found)
  }

  observedIn(object: Readonly<KubeObject>): ObservedConfig {
    return observedIn(object, this.#defaultDelivery)
  }

  fetch(signal: AbortSignal): Promise<ControllerConfig> {
    return this.#client.get(controllerConfigs, own, { signal, timeoutMs: requestMs })
  }

  async fetchObserved(signal: AbortSignal): Promise<ObservedConfig | undefined> {
    try {
      const call = { signal, timeoutMs: requestMs }
      return this.observedIn(await this.#client.getMetadata(controllerConfigs, own, call))
    } catch (error) {
      // Updates must not wait for an object that the daemon may not read.
      if (isNotFound(error) || isForbidden(error)) return undefined
      throw error
    }
  }
}

export function observedIn(
  { metadata }: Readonly<KubeObject>,
  defaultDelivery: CertificateDelivery,
): ObservedConfig {
  const { uid = '', generation = 0, resourceVersion = '', annotations: found = {} } = metadata
  const delivery = certificateDeliveries.find((each) => each === found[certificateDelivery])
  const digests = readTrustDigests(found[trustDigests]) && found[trustDigests]
  return {
    uid,
    generation,
    version: resourceVersion,
    delivery: delivery ?? defaultDelivery,
    digestsAnnotation: digests,
    isComplete: digests !== undefined || found[generatedByVersion] !== undefined,
    isRotating: found[serviceCARotate] === 'true',
  }
}

/** Keeps five annotations; one of them is for pinned images. */
function slim({ metadata }: KubeObject): KubeObject {
  const { name, uid, generation, resourceVersion, annotations: all = {} } = metadata
  const relevant = Object.fromEntries(Object.entries(all).filter(([key]) => kept.has(key)))
  return { metadata: { name, uid, generation, resourceVersion, annotations: relevant } }
}
