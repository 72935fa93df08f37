import type { NodeLine } from './facts.ts'
import { certificateSynced, updateApplied } from './node-log.ts'

/** The corresponding log line of OpenShift's MCO, with dots for variable parts; undefined if there is none. */
export function mcoLogLine({ message, fields }: NodeLine): string | undefined {
  if (message.startsWith(certificateSynced)) return 'the same message'
  if (message === updateApplied) return 'Node has Desired Config …, skipping reboot'
  if (message !== 'decided') return undefined
  if (fields['next'] === 'update') return 'Starting update from … to …: &{… files:true …}'
  if (fields['next'] === 'done') {
    return 'Update completed for config … and node has been successfully uncordoned'
  }
  return undefined
}
