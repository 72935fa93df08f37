/**
 * The name of an image without what tools put in front of it to say from where it comes and who vouches for it:
 * `ostree-unverified-registry:quay.io/os@sha256:…` is `quay.io/os@sha256:…`.
 */
export function imageName(reference: string): string {
  for (const prefix of whole) {
    const [found] = prefix.exec(reference) ?? []
    if (found !== undefined) return reference.slice(found.length)
  }
  const [trust] = trusted.exec(reference) ?? []
  return trust === undefined ? reference : reference.slice(trust.length).replace(transport, '')
}

/** After these comes the name. `registry:` is none of them: a registry may be called that. */
const whole = [
  /^ostree-unverified-registry:/,
  /^ostree-remote-registry:[^:]+:/,
  /^pivot:\/\//,
  /^docker:\/\//,
]

/** After these comes a transport, and then the name. */
const trusted = /^(ostree-unverified-image:|ostree-image-signed:|ostree-remote-image:[^:]+:)/
const transport = /^(docker:\/\/|registry:|containers-storage:|oci-archive:|oci:|dir:)/
