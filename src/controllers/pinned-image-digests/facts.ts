import type {
  ControllerConfig,
  MachineConfigPool,
  PinnedImageSet,
} from '../../api/kinds/resources.ts'

/** Everything that determines the published digests. */
export interface PinnedImageDigestsFacts {
  /** The annotation of the ControllerConfig has the published digests. */
  readonly config: Readonly<ControllerConfig>
  readonly pools: readonly Readonly<MachineConfigPool>[]
  readonly sets: readonly Readonly<PinnedImageSet>[]
}
