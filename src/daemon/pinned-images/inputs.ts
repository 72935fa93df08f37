import { sameJson } from '@machinist/core/encoding/json'
import type { KubeObject } from '@machinist/core/objects/resource'
import type { ChangeSource, Input } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import type { Node } from '@machinist/kube/kinds/core'
import { names } from '../../api/names.ts'
import type { DesiredImages } from './desired-images.ts'

export interface PinnedImagesCaches {
  readonly node: ChangeSource<Node>
  /** The metadata of the ControllerConfig. */
  readonly config: ChangeSource<KubeObject>
}

/** Changes of the desired images. The only key is the ControllerConfig, which announces them. */
export function pinnedImagesInputs(
  { node, config }: PinnedImagesCaches,
  desired: () => DesiredImages | undefined,
): Input[] {
  let known: DesiredImages | undefined
  const keys = (): string[] => {
    const before = known
    known = desired()
    return sameJson(before, known) ? [] : [names.controllerConfig]
  }
  return [
    input({ resource: 'Node', informer: node, keys }),
    input({ resource: 'ControllerConfig', informer: config, keys }),
  ]
}
