import { nodePaths } from '../../api/node-paths.ts'
import type { CertificateDelivery } from '../../api/trust/items.ts'
import { sharedFiles, trustLaneFiles } from '../../api/trust/lane-files.ts'
import type { PlanInput } from '../model/plan-input.ts'
import type { FileDifference } from './files.ts'

/** CA of the config server. Rendered too, and kept for scripts that read it. */
const rootCA = '/etc/kubernetes/ca.crt'

const userBundle = '/etc/pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt'

type DeliveryInput = Pick<PlanInput, 'rules' | 'delivery'>

/** The given delivery, or that of the release whose rules apply. */
function deliveryOf({ rules, delivery }: DeliveryInput): CertificateDelivery {
  return delivery ?? (rules === '4.12' ? 'rendered' : 'direct')
}

export const isTrustLaneFile = (path: string, delivery: CertificateDelivery): boolean =>
  trustLaneFiles(delivery).includes(path)

/** Files whose owner depends on the delivery, so that neither owner removes a file of the other. */
export function isSharedFile(path: string): boolean {
  return sharedFiles.includes(path)
}

/** Files that are kept when a config no longer has them, because another component may manage them. */
export function isNeverRemoved(path: string, input: DeliveryInput): boolean {
  const delivery = deliveryOf(input)
  if (isSharedFile(path) || path === rootCA || isTrustLaneFile(path, delivery)) return true
  return (
    delivery === 'direct' && (path === userBundle || path.startsWith(`${nodePaths.registryCAs}/`))
  )
}

/** Whether a file is not changed although the configs differ. */
export function isUntouched(
  { path, after }: Pick<FileDifference, 'path' | 'after'>,
  input: DeliveryInput & Pick<PlanInput, 'current'>,
): boolean {
  return after ? isNeverWritten(path, input) : isNeverRemoved(path, input)
}

/** Files that a config never writes on an existing node. */
export function isNeverWritten(
  path: string,
  input: DeliveryInput & Pick<PlanInput, 'current'>,
): boolean {
  return input.current !== undefined && isTrustLaneFile(path, deliveryOf(input))
}
