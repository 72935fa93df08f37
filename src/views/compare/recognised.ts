import type { NodeLine } from './facts.ts'
import { certificateSynced, updateApplied } from './node-log.ts'

/** What OpenShift's daemon says at this point, with dots for what varies; undefined where it says nothing like it. */
export function originalWords({ message, fields }: NodeLine): string | undefined {
  if (message.startsWith(certificateSynced)) return 'the same words'
  if (message === updateApplied) return 'Node has Desired Config …, skipping reboot'
  if (message !== 'decided') return undefined
  if (fields['next'] === 'update') return 'Starting update from … to …: &{… files:true …}'
  if (fields['next'] === 'done') {
    return 'Update completed for config … and node has been successfully uncordoned'
  }
  return undefined
}
