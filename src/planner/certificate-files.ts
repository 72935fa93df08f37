import type { Rules } from './plan-input.ts'

const kubeletCa = '/etc/kubernetes/kubelet-ca.crt'

const certificates: ReadonlySet<string> = new Set([
  '/etc/pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt',
  kubeletCa,
  '/etc/kubernetes/static-pod-resources/configmaps/cloud-config/ca-bundle.pem',
])

const registryCertificates = '/etc/docker/certs.d/'

/** Files that stay when a config no longer has them: since 4.16 certificates come to nodes by themselves. */
export function isNeverRemoved(path: string, rules: Rules): boolean {
  if (rules === '4.12') return false
  return certificates.has(path) || path.startsWith(registryCertificates)
}

/** The file that a config never overwrites on a node that has been set up: it might bring an older bundle back. */
export function isNeverWritten(path: string, rules: Rules): boolean {
  return rules !== '4.12' && path === kubeletCa
}
