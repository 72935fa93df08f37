import type { Bundle } from '@machinist/pki/bundle'
import { difference } from '@machinist/pki/bundle'

/** What a kubelet knows an API server by, as fingerprints. */
export type Loaded = ReadonlySet<string>

/**
 * Signers of addresses at which no kubelet asks the API server: one that learns of them at its next start is early enough.
 * A certificate is theirs if its common name contains one of these.
 */
const unhurriedSigners = [
  'kube-apiserver-localhost-signer',
  'openshift-kube-apiserver-operator_localhost-recovery-serving-signer',
  'kube-apiserver-lb-signer',
]

/** What is on the disk and the kubelet does not know of, although it may need it. Nothing to hurry for is left out. */
export function missedBy(loaded: Loaded, onDisk: Bundle): Bundle {
  const hurried = [...onDisk.values()].filter(
    ({ fingerprint, commonName = '' }) =>
      !loaded.has(fingerprint) && !unhurriedSigners.some((signer) => commonName.includes(signer)),
  )
  return new Map(hurried.map((each) => [each.fingerprint, each]))
}

/** Of what is on the disk, what waits for the kubelet's next start, whenever that is. */
export function unhurried(loaded: Loaded, onDisk: Bundle): Bundle {
  const unknown = new Map([...onDisk].filter(([fingerprint]) => !loaded.has(fingerprint)))
  return difference(unknown, missedBy(loaded, onDisk))
}
