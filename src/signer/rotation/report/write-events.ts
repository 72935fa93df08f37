import { referenceTo } from '@machinist/core/objects/resource'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import { trustRotations } from '../../../api/kinds/resources.ts'
import { signerEvents } from '../../../api/reasons.ts'
import { objectText, whyText } from '../act/object-text.ts'
import type { RotationWrite } from '../decide/plan-certificates.ts'
import type { ReadyRotationFacts } from '../facts/facts.ts'

/** Emits the event of a write; never the content. */
export function emitWrite(
  write: RotationWrite,
  { object, rotation }: ReadyRotationFacts,
  events: EventRecorder,
): void {
  const reason = eventOf(write)
  if (!reason) return
  const message = `${objectText(write, rotation)} was renewed: ${whyText(write)}`
  events.normal(referenceTo(trustRotations, object), reason, message)
}

function eventOf(write: RotationWrite): string | undefined {
  if (write.type === 'bundle') return signerEvents.caBundleUpdateRequired
  if (write.type === 'target' && write.action === 'issue') return signerEvents.targetUpdateRequired
  const isNew = write.type === 'signer' && (write.action === 'renew' || write.action === 'swap')
  return isNew ? signerEvents.signerUpdateRequired : undefined
}
