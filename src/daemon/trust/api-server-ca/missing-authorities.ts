import type { Bundle } from '@machinist/pki/bundle'
import { difference } from '@machinist/pki/bundle'

/** Fingerprints of the API server CAs that the kubelet has loaded. */
export type LoadedAuthorities = ReadonlySet<string>

/**
 * Signers for addresses of the API server that no kubelet uses: loading their CAs at the next start of the kubelet is early
 * enough. A certificate belongs to them if its common name contains one of these.
 */
const deferredSigners = [
  'kube-apiserver-localhost-signer',
  'openshift-kube-apiserver-operator_localhost-recovery-serving-signer',
  'kube-apiserver-lb-signer',
]

/** CAs on disk that the kubelet has not loaded and that require a restart. */
export function missingAuthorities(loaded: LoadedAuthorities, onDisk: Bundle): Bundle {
  const missing = [...onDisk.values()].filter(
    ({ fingerprint, commonName = '' }) =>
      !loaded.has(fingerprint) && !deferredSigners.some((signer) => commonName.includes(signer)),
  )
  return new Map(missing.map((each) => [each.fingerprint, each]))
}

/** CAs on disk that the kubelet loads at its next start, without a restart for them. */
export function deferredAuthorities(loaded: LoadedAuthorities, onDisk: Bundle): Bundle {
  const unknown = new Map([...onDisk].filter(([fingerprint]) => !loaded.has(fingerprint)))
  return difference(unknown, missingAuthorities(loaded, onDisk))
}
