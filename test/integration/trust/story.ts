import { afterAll, beforeAll } from 'vitest'
import { configMaps } from '@machinist/kube/kinds/core'
import { authority, authorityPair } from '../daemon/trust/certificates.ts'
import type { Reached } from './cluster.ts'
import { TrustCluster } from './cluster.ts'
import type { TrustNode } from './node.ts'

export const kubeletCA = '/etc/kubernetes/kubelet-ca.crt'
export const kubeconfigs = ['/etc/kubernetes/kubeconfig', '/var/lib/kubelet/kubeconfig']
/** The issuers in the alert about paused pools. */
export const kubeletSigner = 'openshift-kube-apiserver-operator_kube-apiserver-to-kubelet-signer'
export const masters = ['master-0', 'master-1', 'master-2']
export const workers = ['worker-0', 'worker-1']
export const names = [...masters, ...workers]

/** The same for each of these nodes. */
export const alike = <T>(nodes: readonly string[], value: T): Record<string, T> =>
  Object.fromEntries(nodes.map((node) => [node, value]))

/** Excludes boots, which are not actions of the daemon. */
export const isNoBoot = (action: string): boolean => !action.startsWith('boot ')

/**
 * One cluster for a sequence of tests, because starting one takes longer than most tests. Each test begins
 * with a settled cluster, and checks only later changes.
 */
export class Story {
  /** The CA of the API server at the installation. */
  apiCA = ''
  #cluster: TrustCluster | undefined

  /** Whether a signer manages the CAs; otherwise the tests write them. */
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

  /** Waits until these nodes, or all, have this file. */
  readonly has = (path: string, text: string, nodes?: readonly TrustNode[]): Promise<void> =>
    this.cluster.all(`${path} is there`, async (node) => (await node.read(path)) === text, nodes)

  readonly isUpdated = (pool: string): Promise<void> =>
    this.cluster.time.until(`pool ${pool} is updated`, () => this.cluster.isUpdated(pool))

  readonly pulseIsOver = (): Promise<void> =>
    this.cluster.time.until('the pulse is over', () => {
      return this.cluster.history.pulses.at(-1) === 'false'
    })

  /** The pools of new configs, one entry per config. */
  readonly rendered = (): string[] =>
    this.cluster.history.rendered.map((name) => name.split('-')[1]!).sort()

  /** The reported state of a trust item on each node. */
  readonly state = (item: string): Promise<Record<string, string | undefined>> =>
    this.cluster.each(async (node) => (await node.reportedItem(item))?.state)

  readonly data = async (namespace: string, name: string): Promise<Record<string, string>> => {
    const found = await this.cluster.client.get(configMaps, { namespace, name })
    return { ...found.binaryData, ...found.data }
  }

  /** The desired CAs of the API server. */
  readonly apiServerCA = async (): Promise<string> => {
    const found = await this.data('openshift-machine-config-operator', 'kubeconfig-data')
    return Buffer.from(found['ca-bundle.crt']!, 'base64').toString()
  }
}
