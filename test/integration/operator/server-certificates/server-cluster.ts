import { createLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { seededRandom } from '@machinist/core/random'
import { VirtualClock } from '@machinist/core/virtual-clock'
import type { KubeClient } from '@machinist/kube/client/client'
import { ignoreNotFound } from '@machinist/kube/failure'
import { secrets } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { readBundle } from '@machinist/pki/bundle'
import type { Certificate } from '@machinist/pki/certificate'
import { until } from '@machinist/testing/until'
import { names, secrets as fixedSecrets } from '../../../../src/api/names.ts'
import type { TrustRotation } from '../../../../src/api/kinds/resources.ts'
import { machineConfigPools, trustRotations } from '../../../../src/api/kinds/resources.ts'
import { pointerAuthorities } from '../../../../src/fleet/provisioning/pointer-authorities.ts'
import { userDataKey } from '../../../../src/fleet/provisioning/user-data-key.ts'
import { runOperator } from '../../../../src/operator/run-operator.ts'
import { runSigner } from '../../../../src/signer/run-signer.ts'

/** Virtual time between two looks at the cluster. */
const stepMs = 20_000

/** The operator and the signer of a cluster, on virtual time. Watches whether machines can reach the config server all the time. */
export class ServerCluster {
  readonly clock = new VirtualClock(Date.now())
  readonly client: KubeClient
  logged = ''
  /** Changes of the CA of the certificate: the shortest time for which the user data of a pool had the CA before. */
  readonly changes: number[] = []
  readonly #stop = new AbortController()
  readonly #running: Promise<unknown>
  /** By pool and CA: since when the user data has it. */
  readonly #since = new Map<string, number>()
  #signer: string | undefined

  constructor(client: KubeClient) {
    this.client = client
    const log = createLogger({
      clock: this.clock,
      write: (line) => void (this.logged += line),
    })
    const tools = {
      client,
      clock: this.clock,
      random: seededRandom(3),
      log,
      metrics: new Metrics(),
    }
    const { signal } = this.#stop
    this.#running = Promise.all([
      runOperator({ ...tools, version: '1.2.3', stopGraceMs: 1 }, signal),
      runSigner(
        { ...tools, metrics: new Metrics(), approveRequests: false, stopGraceMs: 1 },
        signal,
      ),
    ])
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    let isOver = false
    void this.#running.then(() => (isOver = true))
    await until('operator and signer have stopped', async () => {
      await this.clock.advance(50)
      return isOver
    })
  }

  /** Lets time pass until it is so, and observes user data and the certificate. */
  async until(what: string, isSo: () => Promise<boolean>): Promise<void> {
    await until(what, async () => {
      await this.clock.advance(stepMs)
      await this.#observe()
      return await isSo()
    })
  }

  rotation(): Promise<TrustRotation | undefined> {
    return ignoreNotFound(this.client.get(trustRotations, { name: names.serverRotation }))
  }

  async phase(): Promise<string | undefined> {
    return (await this.rotation())?.status?.phase
  }

  change(patch: object): Promise<TrustRotation> {
    return this.client.patch(trustRotations, { name: names.serverRotation }, mergePatch(patch))
  }

  /** Requests another CA. */
  async rotate(): Promise<void> {
    const annotations = { 'auth.openshift.io/certificate-not-after': null }
    await this.client.patch(
      secrets,
      fixedSecrets.serverCA,
      mergePatch({ metadata: { annotations } }),
    )
  }

  /** The certificate of the server, and the CA that signed it. */
  async certificates(): Promise<Certificate[]> {
    const secret = await ignoreNotFound(this.client.get(secrets, fixedSecrets.serverTLS))
    const text = Buffer.from(secret?.data?.['tls.crt'] ?? '', 'base64').toString()
    return [...readBundle(text).bundle.values()]
  }

  /** The CAs in the user data of each pool. */
  async userData(): Promise<Map<string, readonly string[]>> {
    const { items } = await this.client.list(machineConfigPools)
    const found = items.map(async ({ metadata: { name } }) => {
      const secret = await ignoreNotFound(this.client.get(secrets, userDataKey(name)))
      const pointer = Buffer.from(secret?.data?.['userData'] ?? '', 'base64').toString()
      return [name, pointerAuthorities(pointer)] as const
    })
    return new Map(await Promise.all(found))
  }

  async #observe(): Promise<void> {
    const now = this.clock.now()
    // The certificate first: user data must not be newer.
    const signer = (await this.certificates())[1]?.fingerprint
    const userData = await this.userData()
    for (const [pool, authorities] of userData) {
      for (const each of authorities) {
        const key = `${pool} ${each}`
        this.#since.set(key, this.#since.get(key) ?? now)
      }
    }
    if (signer !== undefined && this.#signer !== undefined && signer !== this.#signer) {
      const had = [...userData.keys()].map(
        (pool) => now - (this.#since.get(`${pool} ${signer}`) ?? Infinity),
      )
      this.changes.push(Math.min(...had))
    }
    this.#signer = signer ?? this.#signer
  }
}
