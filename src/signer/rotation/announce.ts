import { signerEvents } from '../../api/reasons.ts'
import type { TrustRotation } from '../../api/resources.ts'
import { trustRotations } from '../../api/resources.ts'
import type { Logger } from '@machinist/core/log'
import type { ObjectKey } from '@machinist/core/resource'
import { keyText, referenceTo } from '@machinist/core/resource'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import type { Write } from './decide.ts'
import type { Rotation } from '../../fleet/rotation/rotation-spec.ts'

/** Tells what was written, and why; never what is in it. */
export function announce(
  about: Readonly<TrustRotation>,
  write: Write,
  rotation: Rotation,
  { events, log }: { readonly events: EventRecorder; readonly log: Logger },
): void {
  const what = writtenIn(write, rotation)
  const why = 'why' in write ? write.why : 'it was behind'
  log.info('wrote what a rotation needs', { what, why })
  const reason = eventOf(write)
  if (reason) {
    events.normal(referenceTo(trustRotations, about), reason, `${what} was renewed: ${why}`)
  }
}

/** `Secret a/b`. */
export function writtenIn(write: Write, rotation: Rotation): string {
  const text = (kind: string, { namespace, name }: ObjectKey): string =>
    `${kind} ${keyText({ namespace: namespace!, name })}`
  switch (write.to) {
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

function eventOf(write: Write): string | undefined {
  if (write.to === 'bundle') return signerEvents.caBundleUpdateRequired
  if (write.to === 'target' && write.do === 'issue') return signerEvents.targetUpdateRequired
  const isNew = write.to === 'signer' && (write.do === 'renew' || write.do === 'swap')
  return isNew ? signerEvents.signerUpdateRequired : undefined
}
