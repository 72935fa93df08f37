import type { KubeObject } from '@machinist/core/objects/resource'
import type { TypeOf } from '../schema/schema.ts'
import { kind } from '../schema/kind.ts'
import { array, object } from '../schema/schema.ts'
import { imageDigest, namedReference } from '../schema/shapes.ts'
import { pinnedImageSets } from './resources.ts'

const spec = object(
  'Images to pin.',
  {
    pinnedImages: array(
      'Images that nodes pull in advance and that image garbage collection never removes.',
      namedReference('A pinned image.', imageDigest('Pull spec of the image, by digest.')),
      { keys: ['name'], minItems: 1, maxItems: 500 },
    ),
  },
  { required: ['pinnedImages'] },
)

export interface PinnedImageSetSpec extends TypeOf<typeof spec> {}

export interface PinnedImageSet extends KubeObject {
  spec: PinnedImageSetSpec
}

export const pinnedImageSetKind = kind(
  pinnedImageSets,
  'PinnedImageSet keeps images on the nodes of every pool whose machineConfigSelector matches its labels.',
  { spec },
)
