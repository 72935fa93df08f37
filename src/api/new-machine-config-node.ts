import type { MachineConfigNode } from './resources.ts'
import { names } from './names.ts'

export interface NewMachineConfigNode {
  readonly name: string
  /** Of the Node, which takes it along when it goes. */
  readonly uid: string | undefined
  readonly pool?: string | undefined
  readonly desired?: string | undefined
  /** By digest; absent where the node has no image of its own. */
  readonly desiredImage?: string | undefined
}

/** The cluster's side makes it; where it has not yet, whoever has something to say first does. */
export function newMachineConfigNode({
  name,
  uid,
  pool = names.notYetSet,
  desired = names.notYetSet,
  desiredImage,
}: NewMachineConfigNode): MachineConfigNode {
  const owner = uid !== undefined && {
    ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name, uid }],
  }
  return {
    metadata: { name, ...owner },
    spec: {
      node: { name },
      pool: { name: pool },
      configVersion: { desired },
      ...(desiredImage !== undefined && { configImage: { desiredImage } }),
    },
  }
}
