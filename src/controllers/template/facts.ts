import type { ControllerConfig, MachineConfig } from '../../api/kinds/resources.ts'
import type { Maker } from '../../fleet/render/maker.ts'
import type { PullSecret } from './pull-secret.ts'
import type { TemplateSet } from './template-set.ts'

/** Everything that the templates of a ControllerConfig are rendered from. */
export interface TemplateInput {
  readonly controllerConfig: ControllerConfig
  readonly pullSecret: PullSecret
  readonly templates: TemplateSet
}

/** Everything that determines the MachineConfigs of the built-in roles. */
export interface TemplateFacts extends TemplateInput {
  /** Why the pull secret could not be read: it is not known. */
  readonly readFailure?: unknown
  /** MachineConfigs that another controller generated. */
  readonly foreignConfigs: readonly Readonly<MachineConfig>[]
  readonly maker: Pick<Maker, 'build'>
}
