import { nodePaths } from '../api/node-paths.ts'
import type { CertificateDelivery } from '../api/trust/items.ts'
import { sharedFiles, trustLaneFiles } from '../api/trust/lane-files.ts'
import type { FileDifference } from './files.ts'
import type { PlanInput } from './plan-input.ts'

/** Of the config server: rendered as well, and of no use to anybody but those who look there. */
const rootCA = '/etc/kubernetes/ca.crt'

const userBundle = '/etc/pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt'

type Delivered = Pick<PlanInput, 'rules' | 'delivery'>

/** As it is said; else as the generation did it whose rules count. */
function deliveryOf({ rules, delivery }: Delivered): CertificateDelivery {
  return delivery ?? (rules === '4.12' ? 'rendered' : 'direct')
}

export const isOfTrustLane = (path: string, delivery: CertificateDelivery): boolean =>
  trustLaneFiles(delivery).includes(path)

/** Files that change hands with the delivery, so that neither side may take away what the other one brought. */
export function changesHands(path: string): boolean {
  return sharedFiles.includes(path)
}

/** Files that stay when a config no longer has them: somebody else may look after them by now. */
export function isNeverRemoved(path: string, input: Delivered): boolean {
  const delivery = deliveryOf(input)
  if (changesHands(path) || path === rootCA || isOfTrustLane(path, delivery)) return true
  return (
    delivery === 'direct' && (path === userBundle || path.startsWith(`${nodePaths.registryCAs}/`))
  )
}

/** Whether a file stays as it is although two configs differ in it. */
export function isUntouched(
  { path, after }: Pick<FileDifference, 'path' | 'after'>,
  input: Delivered & Pick<PlanInput, 'current'>,
): boolean {
  return after ? isNeverWritten(path, input) : isNeverRemoved(path, input)
}

/** Files that a config never writes on a node that has been set up. */
export function isNeverWritten(
  path: string,
  input: Delivered & Pick<PlanInput, 'current'>,
): boolean {
  return input.current !== undefined && isOfTrustLane(path, deliveryOf(input))
}
