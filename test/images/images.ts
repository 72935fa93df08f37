import { describe, expect, inject, it } from 'vitest'

/** An image, and the mount point of its files. */
export interface Image {
  readonly root: string
  readonly config: {
    readonly User: string
    readonly Entrypoint: readonly string[]
    readonly Env: readonly string[]
    readonly Labels: Readonly<Record<string, string>>
  }
  readonly layers: readonly string[]
}

export interface BuiltImages {
  readonly machinist: Image
  readonly daemon: Image
  /** As `machinist`, on a base image that the user chose. */
  readonly based: Image
  /** The directory that holds `<image>.tar` of the first two. */
  readonly archives: string
}

export type Images = BuiltImages | { readonly missing: string }

declare module 'vitest' {
  interface ProvidedContext {
    images: Images | undefined
  }
}

/** A suite that needs the images. */
export function describeImages(name: string, suite: (images: BuiltImages) => void): void {
  const images = inject('images') ?? { missing: 'run scripts/image-tests.sh' }
  describe.for([name])('%s', () => {
    if (!('missing' in images)) return suite(images)
    it('needs images', ({ skip }) => {
      expect(images.missing).not.toBe('')
      skip(images.missing)
    })
  })
}
