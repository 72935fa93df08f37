import type { Controller } from '@machinist/kube/controller/controller'
import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import { stepController } from '@machinist/kube/controller/step-controller'
import type { PinnedImageDigestsCaches } from './inputs.ts'
import { pinnedImageDigestsInputs } from './inputs.ts'
import { gather } from './gather.ts'
import { decide } from './decide.ts'
import { act } from './act.ts'

/**
 * Publishes a digest of the pinned images of each pool in an annotation of the ControllerConfig, which every daemon watches: one
 * write for any number of nodes. A daemon that finds a new digest reads the sets of its pool. The key is the ControllerConfig.
 */
export function pinnedImageDigestsController(
  context: ControllerContext,
  caches: PinnedImageDigestsCaches,
): Controller {
  return stepController(context, {
    name: 'pinned-images-announcement',
    inputs: pinnedImageDigestsInputs(caches),
    outputs: ['ControllerConfig'],
    gather: (name) => gather(name, caches),
    decide,
    act,
  })
}
