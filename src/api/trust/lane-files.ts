import { nodePaths } from '../node-paths.ts'
import type { CertificateDelivery } from './items.ts'

/** Files that MachineConfigs bring where certificates are rendered, and the trust lane where they are not. */
export const sharedFiles: readonly string[] = [nodePaths.kubeletCA, nodePaths.cloudCA]

/** Files that the trust lane keeps up to date, without a rollout: a config might bring an older bundle back. */
export function trustLaneFiles(delivery: CertificateDelivery): readonly string[] {
  const always = [nodePaths.registryPullSecret]
  return delivery === 'direct' ? [...always, ...sharedFiles] : always
}
