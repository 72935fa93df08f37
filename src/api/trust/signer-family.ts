/**
 * The name that a signer and its successors share. A successor has the namespace as prefix and its creation time as suffix:
 * `kube-apiserver-to-kubelet-signer` is followed by
 * `openshift-kube-apiserver-operator_kube-apiserver-to-kubelet-signer@1638843908`.
 */
export function signerFamily(commonName: string): string {
  const made = /^(?:[a-z0-9-]+_)?(.+)@\d+$/.exec(commonName)
  return made ? made[1]! : commonName
}

/** Whether the CA signs the kubelet client certificate of the API server: the CA of the installer, or a successor. */
export function isKubeletSigner(commonName: string): boolean {
  return signerFamily(commonName) === 'kube-apiserver-to-kubelet-signer'
}

/** The last CN of a distinguished name in one or several lines; the whole name if it has none. */
export function commonNameIn(subject: string): string {
  const found = [...subject.matchAll(/(?:^|[,\n])[ \t]*CN=([^,\n]+)/g)]
  return found.at(-1)?.[1]?.trim() ?? subject
}

export interface ExpiringCertificate {
  readonly commonName: string
  /** Milliseconds since the epoch. */
  readonly notAfter: number
}

/**
 * The certificate of each family that expires last. The expiry of its predecessors is expected; its own expiry breaks trust.
 */
export function lastOfFamilies<T extends ExpiringCertificate>(certificates: Iterable<T>): T[] {
  const last = new Map<string, T>()
  for (const each of certificates) {
    const family = signerFamily(each.commonName)
    const known = last.get(family)
    if (!known || known.notAfter < each.notAfter) last.set(family, each)
  }
  return [...last.values()]
}
