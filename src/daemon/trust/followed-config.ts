import { annotations, ownControllerConfigAnnotations } from '../../api/annotations.ts'
import { names } from '../../api/names.ts'
import type { ControllerConfig } from '../../api/resources.ts'
import { controllerConfigs } from '../../api/resources.ts'
import { readTrustDigests } from '../../api/trust/digests.ts'
import type { CertificateDelivery } from '../../api/trust/items.ts'
import { certificateDeliveries } from '../../api/trust/items.ts'
import type { Clock } from '@machinist/core/clock'
import { sameJson } from '@machinist/core/json'
import type { Logger } from '@machinist/core/log'
import type { Metrics } from '@machinist/core/metrics'
import type { Random } from '@machinist/core/random'
import type { KubeObject } from '@machinist/core/resource'
import type { KubeClient } from '@machinist/kube/client'
import type { Input } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import { isForbidden, isNotFound } from '@machinist/kube/failure'
import { Informer } from '@machinist/kube/informer/informer'
import { OptionalSource } from '@machinist/kube/informer/optional-source'

/** What the metadata of a ControllerConfig tells. */
export interface SeenConfig {
  readonly uid: string
  readonly generation: number
  readonly version: string
  readonly delivery: CertificateDelivery
  /** The annotation with the digests, as it is; undefined also if nobody can read it. */
  readonly said: string | undefined
  /** It says who made it, which our operator does last: before that, what is not there may only be late. */
  readonly isWhole: boolean
  /** The CA of the API server is new: told for a moment, for those who cannot tell by digests. */
  readonly rotates: boolean
}

/** The cluster's side of the trust lane: what it wants, and its payload when somebody has to read it. */
export interface ConfigSource {
  seen(): SeenConfig | undefined
  /** What an object tells that was read. */
  seenIn(object: Readonly<KubeObject>): SeenConfig
  read(signal: AbortSignal): Promise<ControllerConfig>
  /** What is to be seen at this very moment, at the cost of a question. */
  ask(signal: AbortSignal): Promise<SeenConfig | undefined>
}

export interface FollowedConfigOptions {
  /** How certificates come to nodes where nobody says it. */
  readonly usualDelivery: CertificateDelivery
  readonly client: KubeClient
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics: Metrics
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

/** Follows the one ControllerConfig as metadata: what a change costs does not grow with what is in it. */
export class FollowedConfig implements ConfigSource {
  readonly informer: Informer<KubeObject>
  readonly #client: KubeClient
  readonly #usualDelivery: CertificateDelivery

  constructor({ client, usualDelivery, ...options }: FollowedConfigOptions) {
    this.#client = client
    this.#usualDelivery = usualDelivery
    const scope = { fields: `metadata.name=${own.name}`, metadataOnly: true } as const
    this.informer = new Informer({
      ...options,
      resource: 'controller config',
      source: new OptionalSource(client.listWatch(controllerConfigs, scope), options.clock),
      transform: slim,
    })
  }

  seen(): SeenConfig | undefined {
    const found = this.informer.get(own)
    return found && this.seenIn(found)
  }

  seenIn(object: Readonly<KubeObject>): SeenConfig {
    return seenIn(object, this.#usualDelivery)
  }

  read(signal: AbortSignal): Promise<ControllerConfig> {
    return this.#client.get(controllerConfigs, own, { signal, timeoutMs: requestMs })
  }

  async ask(signal: AbortSignal): Promise<SeenConfig | undefined> {
    try {
      const call = { signal, timeoutMs: requestMs }
      return this.seenIn(await this.#client.getMetadata(controllerConfigs, own, call))
    } catch (error) {
      // Who may not look has not been told of it; updates must not wait for that.
      if (isNotFound(error) || isForbidden(error)) return undefined
      throw error
    }
  }

  /** Changes that may mean work: its status, and what others write on it, never do. */
  input(toKey: string): Input {
    return input({
      resource: 'ControllerConfig',
      informer: this.informer,
      keys: (change) => {
        if (change.type !== 'updated') return [toKey]
        const [before, now] = [this.seenIn(change.before), this.seenIn(change.object)]
        return sameJson(tellingOf(before), tellingOf(now)) ? [] : [toKey]
      },
    })
  }
}

export function seenIn(
  { metadata }: Readonly<KubeObject>,
  usualDelivery: CertificateDelivery,
): SeenConfig {
  const { uid = '', generation = 0, resourceVersion = '', annotations: said = {} } = metadata
  const delivery = certificateDeliveries.find((each) => each === said[certificateDelivery])
  const digests = readTrustDigests(said[trustDigests]) && said[trustDigests]
  return {
    uid,
    generation,
    version: resourceVersion,
    delivery: delivery ?? usualDelivery,
    said: digests,
    isWhole: digests !== undefined || said[generatedByVersion] !== undefined,
    rotates: said[serviceCARotate] === 'true',
  }
}

/** Where digests are said, generations that do not change them are of no concern. */
function tellingOf({ uid, delivery, said, generation, rotates, isWhole }: SeenConfig): unknown {
  return said === undefined
    ? { uid, delivery, generation, rotates, isWhole }
    : { uid, delivery, said }
}

/** Of a map of annotations we need five; one of them for the images that pools pin. */
function slim({ metadata }: KubeObject): KubeObject {
  const { name, uid, generation, resourceVersion, annotations: all = {} } = metadata
  const said = Object.fromEntries(Object.entries(all).filter(([key]) => kept.has(key)))
  return { metadata: { name, uid, generation, resourceVersion, annotations: said } }
}
