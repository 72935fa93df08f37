import { certificateAnnotations, ownSignerAnnotations } from '../../api/annotations.ts'
import type { TrustRotation } from '../../api/resources.ts'
import { trustRotations } from '../../api/resources.ts'
import { InvalidInput } from '@machinist/core/errors'
import { keyText } from '@machinist/core/resource'
import type { KubeClient } from '@machinist/kube/client'
import { isForbidden, isNotFound } from '@machinist/kube/failure'
import { secrets } from '@machinist/kube/kinds/core'
import type { Patch } from '@machinist/kube/patch'
import { mergePatch } from '@machinist/kube/patch'

/** Asks for a new CA, as everybody does who looks after such clusters: whoever signs finds no end and makes another one. */
export const forANewCA: Patch = mergePatch({
  metadata: { annotations: { [certificateAnnotations.notAfter]: null } },
})

/** Asks for the previous CA, as long as this one is the current. */
export function forThePreviousCA(current: string): Patch {
  return mergePatch({ metadata: { annotations: { [ownSignerAnnotations.rotateBack]: current } } })
}

/** Only the metadata of the Secret comes back: no key is read here. */
export async function askSigner(
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
        `the signer Secret ${where} of ${metadata.name} is not there: a signer that runs makes it by itself, so look whether one does`,
      )
    }
    if (isForbidden(error)) {
      throw new InvalidInput(
        `you may not change the signer Secret ${where}: ask for a role that may patch it`,
      )
    }
    throw error
  }
}

/** Nobody waits for these nodes any more, as long as this CA is the current one. */
export async function excuse(
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
      `you may not change TrustRotation ${metadata.name}: ask for a role that may patch trustrotations.machinist.dev`,
    )
  }
}
