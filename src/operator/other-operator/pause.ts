import type { Pause } from '@machinist/kube/controller/paused-controller'
import { isManagedByOtherOperator } from '../../api/maker.ts'
import type { ControllerConfig } from '../../api/kinds/resources.ts'
import { controllerConfigs } from '../../api/kinds/resources.ts'
import type { OtherOperatorCaches } from './inputs.ts'

/** For every controller that writes objects that MCO writes too. */
export const whileOtherOperator = <C extends OtherOperatorCaches['controllerConfigs']>(
  informer: C,
): Pause<ControllerConfig, C> => ({
  resource: controllerConfigs.kind,
  informer,
  isPaused: isManagedByOtherOperator,
})
