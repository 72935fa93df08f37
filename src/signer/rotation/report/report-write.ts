import { signerEvents } from '../../../api/reasons.ts'
import type { TrustRotation } from '../../../api/kinds/resources.ts'
import { trustRotations } from '../../../api/kinds/resources.ts'
import type { Logger } from '@machinist/core/log'
import type { ObjectKey } from '@machinist/core/objects/resource'
import { keyText, referenceTo } from '@machinist/core/objects/resource'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import type { RotationWrite } from '../decision/decide.ts'
import type { Rotation } from '../../../fleet/rotation/rotation-spec.ts'

/** Logs a write and emits its event; never the content. */
export function reportWrite(
  about: Readonly<TrustRotation>,
  write: RotationWrite,
  rotation: Rotation,
  { events, log }: { readonly events: EventRecorder; readonly log: Logger },
): void {
  const what = objectText(write, rotation)
  const why = 'why' in write ? write.why : 'it was outdated'
  log.info('wrote an object of the rotation', { what, why })
  const reason = eventOf(write)
  if (reason) {
    events.normal(referenceTo(trustRotations, about), reason, `${what} was renewed: ${why}`)
  }
}

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

function eventOf(write: RotationWrite): string | undefined {
  if (write.type === 'bundle') return signerEvents.caBundleUpdateRequired
  if (write.type === 'target' && write.action === 'issue') return signerEvents.targetUpdateRequired
  const isNew = write.type === 'signer' && (write.action === 'renew' || write.action === 'swap')
  return isNew ? signerEvents.signerUpdateRequired : undefined
}
