import { names } from '../names.ts'
import type { MachineConfigNode } from './resources.ts'

export interface NewMachineConfigNode {
  readonly name: string
  /** UID of the Node, for the owner reference. */
  readonly uid: string | undefined
  readonly pool?: string | undefined
  readonly desired?: string | undefined
  /** Pull spec by digest; absent if the image of the pool is not built in the cluster. */
  readonly desiredImage?: string | undefined
}

/** A new MachineConfigNode. The controller creates it; the daemon does if it reports first. */
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
