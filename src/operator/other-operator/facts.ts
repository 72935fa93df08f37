import type { ControllerConfig } from '../../api/kinds/resources.ts'

/** Everything that shows whether another operator runs the cluster. */
export interface OtherOperatorFacts {
  readonly controllerConfig: Readonly<ControllerConfig> | undefined
}
