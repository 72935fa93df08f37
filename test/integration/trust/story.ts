import { afterAll, beforeAll } from 'vitest'
import { configMaps } from '@machinist/kube/kinds/core'
import { authority, authorityPair } from '../daemon/trust/certificates.ts'
import type { Reached } from './cluster.ts'
import { TrustCluster } from './cluster.ts'
import type { TrustNode } from './node.ts'

export const kubeletCA = '/etc/kubernetes/kubelet-ca.crt'
export const kubeconfigs = ['/etc/kubernetes/kubeconfig', '/var/lib/kubelet/kubeconfig']
/** Whose certificates the alert about paused pools looks for. */
export const kubeletSigner = 'openshift-kube-apiserver-operator_kube-apiserver-to-kubelet-signer'
export const masters = ['master-0', 'master-1', 'master-2']
export const workers = ['worker-0', 'worker-1']
export const names = [...masters, ...workers]

/** The same for each of these nodes. */
export const alike = <T>(nodes: readonly string[], value: T): Record<string, T> =>
  Object.fromEntries(nodes.map((node) => [node, value]))

/** A machine that comes back has booted; that is not its daemon's doing. */
export const isNoBoot = (action: string): boolean => !action.startsWith('boot ')

/**
 * One cluster and what happens to it, test after test: to start one takes longer than most of what is tested. Each test begins
 * with everything at rest, and looks at what is new.
 */
export class Story {
  /** By which kubelets know the API server when the cluster is installed. */
  apiCA = ''
  #cluster: TrustCluster | undefined

  /** A signer sees to the CAs of its own, or tests put them where they want them. */
  constructor(reach: () => Promise<Reached>, isSigned = false) {
    beforeAll(async () => {
      const api = await authorityPair('loadbalancer-serving-signer@1')
      this.apiCA = api.certificate
      const kubeletCA = isSigned ? {} : { kubeletCA: await authority(`${kubeletSigner}@1`) }
      const given = { authority: api, ...kubeletCA, delivery: 'rendered' } as const
      this.#cluster = await TrustCluster.start(await reach(), given)
    })
    afterAll(() => this.#cluster?.stop())
  }

  get cluster(): TrustCluster {
    return this.#cluster!
  }

  /** Until these nodes, or all, have this file. */
  readonly has = (path: string, text: string, nodes?: readonly TrustNode[]): Promise<void> =>
    this.cluster.all(`${path} is there`, async (node) => (await node.read(path)) === text, nodes)

  readonly isUpdated = (pool: string): Promise<void> =>
    this.cluster.time.until(`pool ${pool} is updated`, () => this.cluster.isUpdated(pool))

  readonly pulseIsOver = (): Promise<void> =>
    this.cluster.time.until('the pulse is over', () => {
      return this.cluster.history.pulses.at(-1) === 'false'
    })

  /** Pools that got a new config, once for each. */
  readonly rendered = (): string[] =>
    this.cluster.history.rendered.map((name) => name.split('-')[1]!).sort()

  /** What each node tells about something that it trusts. */
  readonly state = (item: string): Promise<Record<string, string | undefined>> =>
    this.cluster.each(async (node) => (await node.told(item))?.state)

  readonly data = async (namespace: string, name: string): Promise<Record<string, string>> => {
    const found = await this.cluster.client.get(configMaps, { namespace, name })
    return { ...found.binaryData, ...found.data }
  }

  /** By which nodes are to know the API server. */
  readonly apiServerCA = async (): Promise<string> => {
    const found = await this.data('openshift-machine-config-operator', 'kubeconfig-data')
    return Buffer.from(found['ca-bundle.crt']!, 'base64').toString()
  }
}
