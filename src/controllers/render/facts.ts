import type {
  ContainerRuntimeConfig,
  ControllerConfig,
  KubeletConfig,
  MachineConfig,
  MachineConfigPool,
} from '../../api/resources.ts'
import type { Release } from '../../api/validation/extensions.ts'
import type { StorageOverride } from '../../planner/plan-input.ts'
import type { RenderInput } from '../../fleet/render/read-input.ts'
import type { Maker } from '../../fleet/render/maker.ts'

/** Settings for kubelets or container runtimes. Lists of objects do not say their kind, and messages have to. */
export interface NodeSettings {
  readonly kind: string
  readonly object: KubeletConfig | ContainerRuntimeConfig
  /** Whether all that it says is in a MachineConfig for this pool. */
  readonly isMade: boolean
}

/** All that is known when the configuration of a pool is to be rendered. */
export interface Facts {
  readonly pool: MachineConfigPool
  /** Undefined where there is none yet. */
  readonly controllerConfig: ControllerConfig | undefined
  /** Those that select this pool: their own controllers turn them into MachineConfigs. */
  readonly nodeSettings: readonly NodeSettings[]
  /** All that was made from templates, whether the pool selects it or not. */
  readonly fromTemplates: readonly MachineConfig[]
  /** What the pool selects, in merge order. */
  readonly inputs: readonly RenderInput[]
  /** Why nothing could be selected. */
  readonly selectorProblem?: string
  /** The rendered configs that the pool is in, or on its way to. */
  readonly inUse: readonly MachineConfig[]
  /** MachineConfigs that the pool selects and that another controller, such as MCO, made. */
  readonly theirInputs: readonly MachineConfig[]
  /** Rendered configs by another controller that the pool or its nodes are in. */
  readonly theirConfigs: readonly MachineConfig[]
  /** What the pool would select if the templates were ours, in merge order; undefined while it is not known. */
  readonly adoptedInputs?: readonly RenderInput[]
  /** Parts of the storage section that may differ although nodes cannot take them over. */
  readonly overrides: readonly StorageOverride[]
  readonly maker: Maker
  readonly release: Release
}
