import type { Node } from '@machinist/kube/kinds/core'
import { nodes } from '@machinist/kube/kinds/core'
import type { KubeClient } from '@machinist/kube/client/client'
import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import { isConflict } from '@machinist/kube/failure'
import { Informer } from '@machinist/kube/informer/informer'
import { OwnWrites } from '@machinist/kube/informer/own-writes'
import { mergePatch } from '@machinist/kube/patch'
import { nodeRoleLabel } from '../../api/labels.ts'
import type { NodeView } from './node-view.ts'

export interface OwnNodeOptions extends Omit<ControllerContext, 'events'> {
  readonly name: string
  /** Client for writes, if it differs from `client`: the node's own credentials may always write its Node. */
  readonly writer?: KubeClient
}

/** The daemon's own Node: the informer follows this one Node and keeps only the fields that decisions read. */
export class OwnNode {
  readonly name: string
  readonly informer: Informer<Node>
  readonly #writer: KubeClient
  readonly #written: OwnWrites<Node>

  constructor({ name, client, writer = client, ...options }: OwnNodeOptions) {
    this.name = name
    this.#writer = writer
    this.#written = new OwnWrites(options.clock)
    this.informer = new Informer({
      ...options,
      resource: 'own node',
      source: client.listWatch(nodes, { fields: `metadata.name=${name}` }),
      transform: slim,
    })
    this.informer.onRelist((begunAt) => this.#written.relisted(begunAt))
  }

  view(): NodeView | undefined {
    const node = this.#written.newest(this.name, this.informer.get(this.name))
    return node && viewOf(node)
  }

  /** The role labels; undefined while the Node is unknown. */
  labels(): Readonly<Record<string, string>> | undefined {
    const followed = this.informer.get(this.name)
    return followed && (followed.metadata.labels ?? {})
  }

  /** Writes annotations; `null` removes one. With `seen`, the write conflicts if the Node changed since that version. */
  async annotate(changes: Readonly<Record<string, string | null>>, seen?: string): Promise<void> {
    const version = seen !== undefined && { resourceVersion: seen }
    const patch = mergePatch({ metadata: { ...version, annotations: changes } })
    try {
      this.#written.remember(slim(await this.#writer.patch(nodes, { name: this.name }, patch)))
    } catch (error) {
      if (isConflict(error)) this.#written.forget(this.name)
      throw error
    }
  }
}

/** The status of a Node alone is larger than everything that the daemon reads. */
function slim({ metadata, spec }: Node): Node {
  const { name, uid, resourceVersion, annotations, deletionTimestamp } = metadata
  const labels = roleLabels(metadata.labels)
  return {
    metadata: { name, uid, resourceVersion, labels, annotations, deletionTimestamp },
    spec: { unschedulable: spec?.unschedulable ?? false },
  }
}

function roleLabels(labels: Readonly<Record<string, string>> = {}): Record<string, string> {
  const prefix = nodeRoleLabel('')
  return Object.fromEntries(Object.entries(labels).filter(([label]) => label.startsWith(prefix)))
}

const viewOf = ({ metadata, spec }: Readonly<Node>): NodeView => ({
  name: metadata.name,
  ...(metadata.uid !== undefined && { uid: metadata.uid }),
  ...(metadata.resourceVersion !== undefined && { version: metadata.resourceVersion }),
  annotations: metadata.annotations ?? {},
  unschedulable: spec?.unschedulable ?? false,
  deleting: metadata.deletionTimestamp !== undefined,
})
