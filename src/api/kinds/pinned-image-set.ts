import type { KubeObject } from '@machinist/core/resource'
import type { TypeOf } from '../schema/schema.ts'
import { pinnedImageSets } from '../resources.ts'
import { kind } from '../schema/kind.ts'
import { array, object } from '../schema/schema.ts'
import { imageDigest, namedReference } from '../schema/shapes.ts'

const spec = object(
  'Which images.',
  {
    pinnedImages: array(
      'Images that are pulled ahead of time and never removed to free space.',
      namedReference('An image.', imageDigest('The image, by digest.')),
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
  'Images to keep on the nodes of every pool whose machineConfigSelector matches its labels.',
  { spec },
)
