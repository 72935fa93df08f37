/**
 * Rotated signers follow one another under names that differ only in when they were made, with the namespace before the
 * name from the second one on: `kube-apiserver-to-kubelet-signer`, then
 * `openshift-kube-apiserver-operator_kube-apiserver-to-kubelet-signer@1638843908`.
 */
export function signerFamily(commonName: string): string {
  const made = /^(?:[a-z0-9-]+_)?(.+)@\d+$/.exec(commonName)
  return made ? made[1]! : commonName
}

/** Whether it signs the certificate that the API server shows to kubelets: the installer's, or one of those that followed it. */
export function isKubeletSigner(commonName: string): boolean {
  return signerFamily(commonName) === 'kube-apiserver-to-kubelet-signer'
}

/** The last CN of a name, written on one line or on several; the whole name if it has none. */
export function commonNameIn(subject: string): string {
  const found = [...subject.matchAll(/(?:^|[,\n])[ \t]*CN=([^,\n]+)/g)]
  return found.at(-1)?.[1]?.trim() ?? subject
}

export interface EndingCertificate {
  readonly commonName: string
  /** Milliseconds since the epoch. */
  readonly notAfter: number
}

/**
 * Of each family the certificate that lasts longest. That an earlier one ends is the course of things; when one of these does,
 * somebody is no longer trusted.
 */
export function lastOfFamilies<T extends EndingCertificate>(certificates: Iterable<T>): T[] {
  const last = new Map<string, T>()
  for (const each of certificates) {
    const family = signerFamily(each.commonName)
    const known = last.get(family)
    if (!known || known.notAfter < each.notAfter) last.set(family, each)
  }
  return [...last.values()]
}
