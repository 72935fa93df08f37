import { HostFailure } from './host-failure.ts'

/** Checks an image before it is passed to a program: referenced by digest, and never taken for an option. */
export function requireImageByDigest(image: string): string {
  if (byDigest.test(image)) return image
  throw new HostFailure(`${JSON.stringify(image)} is not an image reference by digest`, 'EINVAL')
}

const byDigest = /^[A-Za-z0-9][\w.:/-]{0,400}@sha256:[0-9a-f]{64}$/

/** `sha256:…` */
export const digestOf = (image: string): string => image.slice(image.lastIndexOf('@') + 1)

export const repositoryOf = (image: string): string => image.slice(0, image.lastIndexOf('@'))
