import type {
  ContainerRuntimeConfig,
  ControllerConfig,
  KubeletConfig,
  MachineConfig,
  MachineConfigPool,
} from '../../api/kinds/resources.ts'
import type { Release } from '../../api/validation/extensions.ts'
import type { StorageOverride } from '../../planner/model/plan-input.ts'
import type { RenderInput } from '../../fleet/render/read-input.ts'
import type { Maker } from '../../fleet/render/maker.ts'

/** A KubeletConfig or ContainerRuntimeConfig, with its kind, because listed objects have none. */
export interface NodeSettings {
  readonly kind: string
  readonly object: KubeletConfig | ContainerRuntimeConfig
  /** Whether a MachineConfig for this pool contains its current settings. */
  readonly isGenerated: boolean
}

/** Everything that determines the rendered config of a pool. */
export interface PoolRenderFacts {
  readonly pool: MachineConfigPool
  /** Undefined while it does not exist. */
  readonly controllerConfig: ControllerConfig | undefined
  /** Settings that select this pool; their own controllers generate MachineConfigs from them. */
  readonly nodeSettings: readonly NodeSettings[]
  /** All MachineConfigs of templates, whether the pool selects them or not. */
  readonly fromTemplates: readonly MachineConfig[]
  /** MachineConfigs that the pool selects, in merge order. */
  readonly inputs: readonly RenderInput[]
  /** Why spec.machineConfigSelector is invalid. */
  readonly selectorProblem?: string
  /** The last completed and the desired rendered config of the pool. */
  readonly inUse: readonly MachineConfig[]
  /** Selected MachineConfigs that another controller, such as MCO, generated. */
  readonly foreignInputs: readonly MachineConfig[]
  /** Rendered configs of another controller that the pool or its nodes use. */
  readonly foreignConfigs: readonly MachineConfig[]
  /** The inputs with Machinist's templates instead of the foreign ones, in merge order; undefined while they are not known. */
  readonly adoptedInputs?: readonly RenderInput[]
  /** Parts of the storage section that may differ although running nodes cannot apply them. */
  readonly overrides: readonly StorageOverride[]
  readonly maker: Maker
  readonly release: Release
}

/** The parts of a reconcile, in this order. Each is a pass of its own. */
export type RenderPhase = 'release' | 'render' | 'prune'

/** Everything that a reconcile of a pool depends on. */
export type RenderFacts =
  /** Rendered configs that are no longer needed: those of a deletion first, the oldest last. */
  | {
      readonly type: 'obsolete'
      readonly phase: Exclude<RenderPhase, 'render'>
      readonly configs: readonly MachineConfig[]
    }
  /** The batch window is open, and the pool reports its pending change: its inputs are not read. */
  | { readonly type: 'batching'; readonly windowMs: number }
  | ReadPoolFacts

export interface ReadPoolFacts extends PoolRenderFacts {
  readonly type: 'pool'
  /** The remaining time of the batch window; 0 if it is not open. */
  readonly windowMs: number
  /** The inputs of the last rendering by this process. */
  readonly previousInputs?: readonly RenderInput[]
  /** Another operator manages the pools of the cluster. */
  readonly isOfOtherOperator: boolean
}
