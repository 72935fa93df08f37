import type { ObjectKey } from '@machinist/core/objects/resource'
import { configMaps, nodes, secrets } from '@machinist/kube/kinds/core'
import { coreEvents } from '@machinist/kube/kinds/events'
import { mergePatch } from '@machinist/kube/patch'
import type { TrustRotationStatus } from '../../../src/api/kinds/trust-rotation.ts'
import {
  controllerConfigs,
  machineConfigPools,
  machineConfigs,
  nodeTrusts,
  trustRotations,
} from '../../../src/api/kinds/resources.ts'
import {
  authoritiesIn,
  certificateIn,
  commonNames,
  issuerIn,
  statusOf,
} from '../signer/rotation-operations.ts'
import type { Reached } from './cluster.ts'
import type { TrustNode } from './node.ts'
import { kubeletCA, Story } from './story.ts'

export const kubeletRotation = 'kube-apiserver-to-kubelet'
export const servingRotation = 'kube-apiserver-serving'
/** Long enough for the checks of a test. */
export const settleMs = 180_000

/** A cluster with a signer for the CAs. */
export class SignedStory extends Story {
  constructor(reach: () => Promise<Reached>) {
    super(reach, true)
  }

  readonly status = (rotation = kubeletRotation): Promise<TrustRotationStatus> =>
    statusOf(this.cluster.client, rotation)

  readonly phase = (wanted: string, rotation = kubeletRotation): Promise<void> =>
    this.cluster.time.until(`${rotation} is ${wanted}`, async () => {
      return (await this.status(rotation)).phase === wanted
    })

  /** Waits until both rotations are settled. */
  async takeTime(): Promise<void> {
    for (const name of [kubeletRotation, servingRotation]) {
      const settle = `${settleMs / 1000}s`
      const patch = mergePatch({ spec: { nodeSettle: settle, leafSettle: settle } })
      await this.cluster.client.patch(trustRotations, { name }, patch)
    }
  }

  /** The common name of the current CA, as soon as it differs from this. */
  async signer(place: ObjectKey, before = ''): Promise<string> {
    const { client, time } = this.cluster
    let name = before
    await time.until('there is a new CA', async () => {
      name = (await certificateIn(client, place))?.commonName ?? before
      return name !== before
    })
    return name
  }

  readonly issuer = (target: ObjectKey): Promise<string | undefined> =>
    issuerIn(this.cluster.client, target)

  readonly authorities = (place: ObjectKey): Promise<string[]> =>
    authoritiesIn(this.cluster.client, place)

  /** The CAs that a node trusts for clients of its kubelet. */
  readonly callers = async (node: TrustNode): Promise<string[]> =>
    commonNames((await node.read(kubeletCA)) ?? '').sort()

  /** Waits until these nodes, or all, trust exactly these CAs. */
  readonly letIn = (signers: readonly string[], some?: readonly TrustNode[]): Promise<void> => {
    const wanted = [...signers].sort().join()
    return this.cluster.all(
      `${wanted} may come in`,
      async (node) => (await this.callers(node)).join() === wanted,
      some,
    )
  }

  /** All relevant objects with their versions. */
  async versions(): Promise<Record<string, string>> {
    const { client } = this.cluster
    const all: Record<string, string> = {}
    for (const kind of kinds) {
      for await (const { metadata } of client.listAll(kind)) {
        const { namespace = '', name, resourceVersion = '' } = metadata
        all[`${kind.plural} ${namespace}/${name}`] = resourceVersion
      }
    }
    return all
  }
}

const kinds = [
  configMaps,
  controllerConfigs,
  coreEvents,
  machineConfigPools,
  machineConfigs,
  nodes,
  nodeTrusts,
  secrets,
  trustRotations,
] as const
