import { nodePaths } from '../node-paths.ts'
import type { CertificateDelivery } from './items.ts'

/** Files that MachineConfigs deliver with `rendered`, and the trust lane with `direct`. */
export const sharedFiles: readonly string[] = [nodePaths.kubeletCA, nodePaths.cloudCA]

/** Files that the trust lane maintains. A config must not write them: it might restore an older bundle. */
export function trustLaneFiles(delivery: CertificateDelivery): readonly string[] {
  const always = [nodePaths.registryPullSecret]
  return delivery === 'direct' ? [...always, ...sharedFiles] : always
}
