import {
  isManagedByOtherOperator,
  describeOtherOperator,
  otherOperatorOf,
} from '../../api/maker.ts'
import { names } from '../../api/names.ts'
import { operatorEvents } from '../../api/reasons.ts'
import type { ControllerConfig } from '../../api/kinds/resources.ts'
import { controllerConfigs } from '../../api/kinds/resources.ts'
import type { Metrics } from '@machinist/core/metrics'
import { referenceTo } from '@machinist/core/objects/resource'
import type { Controller } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import { settled } from '@machinist/kube/controller/outcome'
import type { Pause } from '@machinist/kube/controller/paused-controller'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import type { Informer } from '@machinist/kube/informer/informer'

type Cache = Pick<Informer<ControllerConfig>, 'get' | 'synced' | 'subscribe'>

/** For every controller that writes objects that MCO writes too. */
export const whileOtherOperator = <C extends Cache>(informer: C): Pause<ControllerConfig, C> => ({
  resource: controllerConfigs.kind,
  informer,
  isPaused: isManagedByOtherOperator,
})

export interface OtherOperatorOptions {
  readonly controllerConfigs: Cache
  readonly events: EventRecorder
  readonly metrics: Metrics
}

/** Reports that the cluster is left to another operator: in an event, the log and a metric, not on objects of that operator. */
export function otherOperatorController(options: OtherOperatorOptions): Controller {
  const { controllerConfigs: informer, events, metrics } = options
  const held = metrics.gauge({
    name: 'machinist_operator_held',
    help: 'Whether the operator writes nothing because another operator, such as MCO, wrote the ControllerConfig.',
  })
  let reported: string | undefined
  return {
    name: 'other-operator',
    inputs: [input({ resource: controllerConfigs.kind, informer })],
    outputs: ['Event'],
    async reconcile(key, { log }) {
      if (key !== names.controllerConfig) return settled
      const found = informer.get(key)
      const version = otherOperatorOf(found)
      held.set({}, version === undefined ? 0 : 1)
      const message = found && version !== undefined ? messageFor(found) : undefined
      if (message === reported) return settled
      reported = message
      if (!found || message === undefined) {
        log.info('no other operator writes the ControllerConfig')
        return settled
      }
      log.info('leave the cluster to another operator', { build: version })
      events.warning(referenceTo(controllerConfigs, found), operatorEvents.otherOperator, message)
      return settled
    },
  }
}

function messageFor(controllerConfig: Readonly<ControllerConfig>): string {
  const { name } = controllerConfig.metadata
  return `ControllerConfig ${name} was written by ${describeOtherOperator(controllerConfig)}: Machinist writes neither it, pools, user data, MachineConfiguration, ClusterOperator nor nodes. To leave the cluster to that operator, stop Machinist; see docs/install.md, "Clusters that MCO runs"`
}
