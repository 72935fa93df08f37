import type { ObjectKey } from '@machinist/core/objects/resource'
import { keyText } from '@machinist/core/objects/resource'
import type { Rotation } from '../../../fleet/rotation/rotation-spec.ts'
import type { RotationWrite } from '../decide/plan-certificates.ts'

/** `Secret a/b`. */
export function objectText(write: RotationWrite, rotation: Rotation): string {
  const text = (kind: string, { namespace, name }: ObjectKey): string =>
    `${kind} ${keyText({ namespace: namespace!, name })}`
  switch (write.type) {
    case 'signer':
      return text('Secret', rotation.signer)
    case 'bundle':
      return text('ConfigMap', rotation.bundle)
    case 'published':
      return text('ConfigMap', rotation.publishedIn[write.index]!)
    case 'target':
      return text('Secret', rotation.targets[write.index]!)
  }
}

/** Why an object is written; never its content. */
export const whyText = (write: RotationWrite): string =>
  'why' in write ? write.why : 'it was outdated'
