import { InvalidInput } from '@machinist/core/errors'
import { keyText } from '@machinist/core/objects/resource'
import type { KubeClient } from '@machinist/kube/client/client'
import { isForbidden, isNotFound } from '@machinist/kube/failure'
import { secrets } from '@machinist/kube/kinds/core'
import type { Patch } from '@machinist/kube/patch'
import { mergePatch } from '@machinist/kube/patch'
import { certificateAnnotations, ownSignerAnnotations } from '../../../api/annotations.ts'
import type { TrustRotation } from '../../../api/kinds/resources.ts'
import { trustRotations } from '../../../api/kinds/resources.ts'

/** Requests a new CA the usual way: a signer replaces a CA without the notAfter annotation. */
export const newCAPatch: Patch = mergePatch({
  metadata: { annotations: { [certificateAnnotations.notAfter]: null } },
})

/** Requests the previous CA, as long as `current` is the current one. */
export function previousCAPatch(current: string): Patch {
  return mergePatch({ metadata: { annotations: { [ownSignerAnnotations.rotateBack]: current } } })
}

/** Patches the Secret of the signer. The response has metadata only, so no key is read. */
export async function patchSigner(
  client: KubeClient,
  { metadata, spec }: Readonly<TrustRotation>,
  patch: Patch,
  dryRun: boolean,
): Promise<void> {
  const { namespace, name } = spec.signer
  const where = keyText(spec.signer)
  try {
    await client.patchMetadata(secrets, { namespace, name }, patch, { dryRun })
  } catch (error) {
    if (isNotFound(error)) {
      throw new InvalidInput(
        `signer Secret ${where} of ${metadata.name} does not exist: a running signer creates it, so check whether one runs`,
      )
    }
    if (isForbidden(error)) {
      throw new InvalidInput(
        `no permission to change the signer Secret ${where}: a role with the verb patch is required`,
      )
    }
    throw error
  }
}

/** Excludes nodes from the rotation, as long as this CA is the current one. */
export async function excludeNodes(
  client: KubeClient,
  { metadata }: Readonly<TrustRotation>,
  authority: string,
  nodes: readonly string[],
  dryRun: boolean,
): Promise<void> {
  const patch = mergePatch({ spec: { override: { authority, nodes } } })
  try {
    await client.patch(trustRotations, { name: metadata.name }, patch, { dryRun })
  } catch (error) {
    if (!isForbidden(error)) throw error
    throw new InvalidInput(
      `no permission to change TrustRotation ${metadata.name}: a role with the verb patch for trustrotations.machinist.dev is required`,
    )
  }
}
