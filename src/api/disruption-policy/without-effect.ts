import { plain } from '@machinist/core/quoted'
import type { NodeDisruptionPolicy } from '../kinds/node-disruption-policy.ts'
import type { CertificateDelivery } from '../trust/items.ts'
import { trustLaneFiles } from '../trust/lane-files.ts'
import { closestRule } from './match.ts'

/** Describes the entries of a user's policy that never apply because no rollout changes the file; undefined if there are none. */
export function describeIneffectiveEntries(
  { files = [] }: NodeDisruptionPolicy,
  delivery: CertificateDelivery,
): string | undefined {
  const idle = trustLaneFiles(delivery).flatMap((path) => {
    const entry = closestRule(path, files)
    if (!entry) return []
    const where = `spec.nodeDisruptionPolicy.files[${files.indexOf(entry)}] (${plain(entry.path)})`
    return [`${where} has no effect on ${path}`]
  })
  if (idle.length === 0) return undefined
  return `${idle.join('; ')}: the daemon writes certificates and pull secrets without a rollout, so no policy action follows. Remove entries that are meant only for such a file`
}
