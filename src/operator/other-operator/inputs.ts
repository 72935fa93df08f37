import type { Input } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import type { Informer } from '@machinist/kube/informer/informer'
import type { ControllerConfig } from '../../api/kinds/resources.ts'
import { controllerConfigs } from '../../api/kinds/resources.ts'

/** Other controllers may share the informer. */
export interface OtherOperatorCaches {
  readonly controllerConfigs: Pick<Informer<ControllerConfig>, 'get' | 'synced' | 'subscribe'>
}

/** The keys are names of ControllerConfigs. */
export const otherOperatorInputs = ({
  controllerConfigs: informer,
}: OtherOperatorCaches): Input[] => [input({ resource: controllerConfigs.kind, informer })]
