import { createLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { seededRandom } from '@machinist/core/random'
import type { Condition, Resource } from '@machinist/core/objects/resource'
import { timestamp } from '@machinist/core/timestamp'
import { VirtualClock } from '@machinist/core/virtual-clock'
import type { KubeClient } from '@machinist/kube/client/client'
import { isNotFound } from '@machinist/kube/failure'
import type { ConfigMap, Secret } from '@machinist/kube/kinds/core'
import { configMaps, namespaces, nodes, secrets } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { readBundle } from '@machinist/pki/bundle'
import { nameText } from '@machinist/pki/certificate'
import type { Certificate } from '@machinist/pki/certificate'
import type { RunningServer } from '@machinist/apiserver/running-server.fixture'
import { until } from '@machinist/testing/until'
import { rotationConditions } from '../../../src/api/conditions.ts'
import type {
  TrustRotation,
  TrustRotationSpec,
  TrustRotationStatus,
} from '../../../src/api/kinds/trust-rotation.ts'
import type { NodeTrustItem } from '../../../src/api/kinds/node-trust.ts'
import { nodeTrusts, trustRotations } from '../../../src/api/kinds/resources.ts'
import { runSigner } from '../../../src/signer/run-signer.ts'

export const place = (name: string): { namespace: string; name: string } => ({
  namespace: 'keys',
  name,
})

/** Fast keys. */
const key = 'ECDSA-P256'

export const kubeletSpec: TrustRotationSpec = {
  signer: { ...place('kubelet-signer'), key },
  bundle: place('kubelet-ca'),
  publishedIn: [{ ...place('client-ca'), with: [place('other-ca'), place('nowhere')] }],
  targets: [
    {
      ...place('kubelet-client'),
      key,
      usage: 'client',
      commonName: 'system:kube-apiserver',
      organizations: ['kube-master'],
    },
  ],
  trustedBy: 'kubelet-client-ca',
}

/** A signer on a cluster with virtual time, and helpers to change and read the cluster. */
export class RotationCluster {
  readonly clock: VirtualClock
  readonly client: KubeClient
  metrics = new Metrics()
  logged = ''
  readonly #reported = new Map<string, string>()
  #stop: AbortController | undefined
  #running: Promise<void> | undefined

  constructor({ client }: RunningServer, clock = new VirtualClock()) {
    this.client = client
    this.clock = clock
  }

  /** `client`: what the signer asks; what others do is not in its way. Resolves when it knows the cluster. */
  start(client: KubeClient = this.client): Promise<void> {
    const { promise, resolve: ready } = Promise.withResolvers<void>()
    const { clock } = this
    this.metrics = new Metrics()
    this.#stop = new AbortController()
    const write = (line: string): void => void (this.logged += line)
    const log = createLogger({ clock, write, level: 'debug' })
    const tools = { clock, random: seededRandom(7), log, metrics: this.metrics }
    this.#running = runSigner(
      { client, ...tools, approveRequests: false, stopGraceMs: 1, ready },
      this.#stop.signal,
    )
    return promise
  }

  async stop(): Promise<void> {
    const { clock } = this
    this.#stop?.abort()
    let isOver = false
    void this.#running?.then(() => (isOver = true))
    await until('the signer has stopped', async () => {
      await clock.advance(50)
      return isOver || !this.#running
    })
    this.#running = undefined
  }

  /** Deletes all objects for the next test. */
  async clear(): Promise<void> {
    await this.stop()
    for (const resource of [trustRotations, nodeTrusts, nodes] as readonly Resource[]) {
      for await (const { metadata } of this.client.listAll(resource)) {
        await this.client.remove(resource, { name: metadata.name })
      }
    }
    for (const resource of [secrets, configMaps] as readonly Resource[]) {
      for await (const { metadata } of this.client.listAll(resource, {
        namespace: 'keys',
      })) {
        await this.client.remove(resource, place(metadata.name))
      }
    }
  }

  async rotation(name: string, spec: TrustRotationSpec = kubeletSpec): Promise<void> {
    await this.client.create(trustRotations, { metadata: { name }, spec })
  }

  async node(name: string, status = 'True'): Promise<void> {
    await this.client.create(nodes, { metadata: { name } })
    const conditions = [{ type: 'Ready', status, lastTransitionTime: '2026-01-01T00:00:00Z' }]
    const patch = mergePatch({ status: { conditions } })
    await this.client.patch(nodes, { name }, patch, { subresource: 'status' })
  }

  /** The nodes take over the published bundle and report it, if it is new. */
  async follow(...names: readonly string[]): Promise<void> {
    const published = await this.certificates('client-ca')
    const digest = published.map(({ fingerprint }) => fingerprint).join()
    for (const name of names.filter((each) => this.#reported.get(each) !== digest)) {
      this.#reported.set(name, digest)
      await this.report(name, published)
    }
  }

  async report(
    name: string,
    certificates: readonly Certificate[],
    item: Partial<NodeTrustItem> = {},
  ): Promise<void> {
    const reported: NodeTrustItem = {
      name: 'kubelet-client-ca',
      state: 'Current',
      certificates: certificates.map(({ fingerprint, subject, notAfter }) => ({
        fingerprint,
        subject: nameText(subject),
        notAfter: timestamp(notAfter),
      })),
      writtenAt: timestamp(this.clock.now()),
      ...item,
    }
    const { items } = await this.client.list(nodeTrusts)
    if (!items.some(({ metadata }) => metadata.name === name)) {
      await this.client.create(nodeTrusts, { metadata: { name } })
    }
    const patch = mergePatch({ status: { items: [reported] } })
    await this.client.patch(nodeTrusts, { name }, patch, { subresource: 'status' })
  }

  secret(name: string): Promise<Secret | undefined> {
    return found(this.client.get(secrets, place(name)))
  }

  configMap(name: string): Promise<ConfigMap | undefined> {
    return found(this.client.get(configMaps, place(name)))
  }

  /** The certificates of a ConfigMap or of `tls.crt` in a Secret. */
  async certificates(name: string): Promise<Certificate[]> {
    const map = await this.configMap(name)
    const secret = map ? undefined : await this.secret(name)
    const text = map?.data?.['ca-bundle.crt'] ?? text64(secret?.data?.['tls.crt'])
    return [...readBundle(text).bundle.values()]
  }

  async fingerprints(name: string): Promise<string[]> {
    return (await this.certificates(name)).map(({ fingerprint }) => fingerprint).sort()
  }

  /** The current CA. */
  async current(name = 'kubelet-signer'): Promise<Certificate | undefined> {
    return (await this.certificates(name))[0]
  }

  async status(name = 'kubelet'): Promise<TrustRotationStatus | undefined> {
    return (await found<TrustRotation>(this.client.get(trustRotations, { name })))?.status
  }

  async condition(
    type: keyof typeof rotationConditions,
    name = 'kubelet',
  ): Promise<Condition | undefined> {
    const conditions = (await this.status(name))?.conditions
    return conditions?.find((each) => each.type === rotationConditions[type])
  }

  annotate(name: string, annotations: Readonly<Record<string, string | null>>): Promise<Secret> {
    return this.client.patch(secrets, place(name), mergePatch({ metadata: { annotations } }))
  }

  /** Waits while virtual time passes slowly. */
  until(what: string, condition: () => Promise<boolean>, stepMs = 500): Promise<void> {
    return until(what, async () => {
      if (await condition()) return true
      await this.clock.advance(stepMs)
      return condition()
    })
  }

  /** Waits for the status of a condition. */
  turned(type: keyof typeof rotationConditions, status: string, name = 'kubelet'): Promise<void> {
    const isSo = async (): Promise<boolean> => (await this.condition(type, name))?.status === status
    return this.until(`${type} of ${name} is ${status}`, isSo, 5000)
  }

  /** Waits until the target has a certificate of this CA. */
  signedBy(fingerprint: string): Promise<void> {
    const isSo = async (): Promise<boolean> =>
      (await this.certificates('kubelet-client'))[1]?.fingerprint === fingerprint
    return this.until('it is signed by the current CA', isSo, 5000)
  }

  phase(phase: string, name = 'kubelet'): Promise<void> {
    return this.until(`${name} is ${phase}`, async () => (await this.status(name))?.phase === phase)
  }

  /** Waits until the signer settles. */
  async rest(ms = 5000): Promise<void> {
    let version = ''
    let same = 0
    await until('the signer settles', async () => {
      await this.clock.advance(ms / 10)
      const newest = await this.#version()
      same = newest === version ? same + 1 : 0
      version = newest
      return same > 10
    })
  }

  async #version(): Promise<string> {
    return (await this.client.list(configMaps, { limit: 1 })).resourceVersion
  }
}

export async function makeNamespace(client: KubeClient): Promise<void> {
  await client.create(namespaces, { metadata: { name: 'keys' } })
}

const text64 = (data = ''): string => Buffer.from(data, 'base64').toString()

async function found<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}
