import type { Clock } from '@machinist/core/clock'
import { timestamp } from '@machinist/core/timestamp'
import type { KubeClient } from '@machinist/kube/client/client'
import { isNotFound } from '@machinist/kube/failure'
import { configMaps } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { readBundle } from '@machinist/pki/bundle'
import { readCertificate } from '@machinist/pki/certificate'
import { verifyChain } from '@machinist/pki/chain'
import { nodeTrusts } from '../../../src/api/kinds/resources.ts'
import type { Shown } from './caller.ts'
import { kubelets } from './rotations.ts'

interface ReportingNode {
  readonly name: string
  /** Delivery time of a new bundle. */
  readonly delayMs: number
  held: string
  next: { readonly text: string; readonly at: number } | undefined
  writtenAt: number
  /** The bundle that its kubelet has loaded. */
  loaded: string
}

/** Nodes without machines: each takes over the published bundle after its delay and reports it; kubelets load it later. */
export class ReportingNodes {
  readonly nodes: ReportingNode[]
  readonly #client: KubeClient
  readonly #clock: Clock
  readonly #loadMs: number

  /** `loadMs`: how long kubelets take to load a written file. */
  constructor(
    client: KubeClient,
    clock: Clock,
    delaysMs: Readonly<Record<string, number>>,
    loadMs: number,
  ) {
    this.#client = client
    this.#clock = clock
    this.#loadMs = loadMs
    this.nodes = Object.entries(delaysMs).map(([name, delayMs]) => ({
      name,
      delayMs,
      held: '',
      next: undefined,
      writtenAt: 0,
      loaded: '',
    }))
  }

  /** Updates all nodes to the current time. */
  async look(): Promise<void> {
    const published = await this.#client.get(configMaps, kubelets.published).catch(none)
    const text = published?.data?.['ca-bundle.crt'] ?? ''
    for (const node of this.nodes) await this.#lookAt(node, text, this.#clock.now())
  }

  /** The nodes that would reject this certificate now, with the reason. */
  refusals({ certificate }: Shown): string[] {
    const leaf = readCertificate(certificate)
    return this.nodes.flatMap(({ name, loaded }) => {
      if (loaded === '') return []
      const trusted = readBundle(loaded).bundle.values()
      const verdict = verifyChain(leaf, trusted, { at: this.#clock.now(), usage: 'client' })
      return 'problem' in verdict ? [`${name}: ${verdict.problem}`] : []
    })
  }

  async #lookAt(node: ReportingNode, text: string, now: number): Promise<void> {
    if (node.held !== node.loaded && now >= node.writtenAt + this.#loadMs) node.loaded = node.held
    if (text === '' || text === node.held) {
      node.next = undefined
      return
    }
    if (node.next?.text !== text) node.next = { text, at: now }
    if (now < node.next.at + node.delayMs) return
    node.held = text
    node.writtenAt = now
    await this.#report(node)
  }

  async #report({ name, held, writtenAt }: ReportingNode): Promise<void> {
    await this.#client.create(nodeTrusts, { metadata: { name } }).catch(() => {})
    const certificates = [...readBundle(held).bundle.values()].map((each) => ({
      fingerprint: each.fingerprint,
      subject: each.subject,
      notAfter: timestamp(each.notAfter),
    }))
    const times = { writtenAt: timestamp(writtenAt) }
    const items = [{ name: 'kubelet-client-ca', state: 'Current', ...times, certificates }]
    const patch = mergePatch({ status: { delivery: 'direct', items } })
    await this.#client.patch(nodeTrusts, { name }, patch, { subresource: 'status' })
  }
}

function none(error: unknown): undefined {
  if (!isNotFound(error)) throw error
}
