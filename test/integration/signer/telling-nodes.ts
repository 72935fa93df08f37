import { nodeTrusts } from '../../../src/api/resources.ts'
import type { Clock } from '@machinist/core/clock'
import { timestamp } from '@machinist/core/timestamp'
import type { KubeClient } from '@machinist/kube/client'
import { isNotFound } from '@machinist/kube/failure'
import { configMaps } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { readBundle } from '@machinist/pki/bundle'
import { readCertificate } from '@machinist/pki/certificate'
import { verifyChain } from '@machinist/pki/chain'
import type { Shown } from './caller.ts'
import { kubelets } from './rotations.ts'

interface TellingNode {
  readonly name: string
  /** How long a new bundle is on its way. */
  readonly delayMs: number
  held: string
  next: { readonly text: string; readonly at: number } | undefined
  writtenAt: number
  /** What its kubelet goes by. */
  loaded: string
}

/** Nodes without machines: they take over what is published, each in its time, tell so, and their kubelets take their time. */
export class TellingNodes {
  readonly nodes: TellingNode[]
  readonly #client: KubeClient
  readonly #clock: Clock
  readonly #loadMs: number

  /** `loadMs`: how long kubelets take to read what was written. */
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

  /** Everybody does what is to be done by now. */
  async look(): Promise<void> {
    const published = await this.#client.get(configMaps, kubelets.published).catch(none)
    const text = published?.data?.['ca-bundle.crt'] ?? ''
    for (const node of this.nodes) await this.#lookAt(node, text, this.#clock.now())
  }

  /** Who would not let in whoever shows this now, and why. */
  refusals({ certificate }: Shown): string[] {
    const leaf = readCertificate(certificate)
    return this.nodes.flatMap(({ name, loaded }) => {
      if (loaded === '') return []
      const trusted = readBundle(loaded).bundle.values()
      const verdict = verifyChain(leaf, trusted, { at: this.#clock.now(), usage: 'client' })
      return 'problem' in verdict ? [`${name}: ${verdict.problem}`] : []
    })
  }

  async #lookAt(node: TellingNode, text: string, now: number): Promise<void> {
    if (node.held !== node.loaded && now >= node.writtenAt + this.#loadMs) node.loaded = node.held
    if (text === '' || text === node.held) {
      node.next = undefined
      return
    }
    if (node.next?.text !== text) node.next = { text, at: now }
    if (now < node.next.at + node.delayMs) return
    node.held = text
    node.writtenAt = now
    await this.#tell(node)
  }

  async #tell({ name, held, writtenAt }: TellingNode): Promise<void> {
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
