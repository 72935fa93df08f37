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

/** Everything that the rendering of a pool reads. */
export interface RenderFacts {
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
