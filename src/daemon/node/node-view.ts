import { nodeAnnotations, nodeStates } from '../../api/annotations.ts'

/** The part of a Node that decisions read. */
export interface NodeView {
  readonly name: string
  readonly uid?: string
  /** The resourceVersion that this view was read from. */
  readonly version?: string
  readonly annotations: Readonly<Record<string, string>>
  readonly unschedulable: boolean
  readonly deleting: boolean
}

/** The value of an annotation; undefined if it is absent or empty. */
export const annotationOf = ({ annotations }: NodeView, key: string): string | undefined =>
  annotations[key] || undefined

/** A Node without a state annotation counts as Done. */
export const stateOf = (node: NodeView): string =>
  annotationOf(node, nodeAnnotations.state) ?? nodeStates.done
