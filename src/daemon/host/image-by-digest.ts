import { HostFailure } from './host-failure.ts'

/** An image as it may be handed to a program: named by digest, and never mistaken for an option. */
export function imageByDigest(image: string): string {
  if (byDigest.test(image)) return image
  throw new HostFailure(`${JSON.stringify(image)} is not an image by digest`, 'EINVAL')
}

const byDigest = /^[A-Za-z0-9][\w.:/-]{0,400}@sha256:[0-9a-f]{64}$/

/** `sha256:…` */
export const digestIn = (image: string): string => image.slice(image.lastIndexOf('@') + 1)

export const repositoryIn = (image: string): string => image.slice(0, image.lastIndexOf('@'))
