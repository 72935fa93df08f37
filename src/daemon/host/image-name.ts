/**
 * The name of an image without the prefixes for transport and signature:
 * `ostree-unverified-registry:quay.io/os@sha256:…` is `quay.io/os@sha256:…`.
 */
export function imageName(reference: string): string {
  for (const prefix of prefixes) {
    const [found] = prefix.exec(reference) ?? []
    if (found !== undefined) return reference.slice(found.length)
  }
  const [trust] = trustPrefix.exec(reference) ?? []
  return trust === undefined
    ? reference
    : reference.slice(trust.length).replace(transportPrefix, '')
}

/** Prefixes of a name. `registry:` is not one of them: it may be the name of a registry. */
const prefixes = [
  /^ostree-unverified-registry:/,
  /^ostree-remote-registry:[^:]+:/,
  /^pivot:\/\//,
  /^docker:\/\//,
]

/** Prefixes of a transport and a name. */
const trustPrefix = /^(ostree-unverified-image:|ostree-image-signed:|ostree-remote-image:[^:]+:)/
const transportPrefix = /^(docker:\/\/|registry:|containers-storage:|oci-archive:|oci:|dir:)/
