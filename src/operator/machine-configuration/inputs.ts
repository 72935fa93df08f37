import type { KubeObject } from '@machinist/core/objects/resource'
import type { Input } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import { isRelevantChange } from '@machinist/kube/controller/relevant-change'
import type { Informer } from '@machinist/kube/informer/informer'
import { ownControllerConfigAnnotations } from '../../api/annotations.ts'
import { names } from '../../api/names.ts'
import type { ControllerConfig, MachineConfiguration } from '../../api/kinds/resources.ts'
import { machineConfigurations } from '../../api/kinds/resources.ts'

type Cache<T extends KubeObject> = Pick<Informer<T>, 'get' | 'synced' | 'subscribe'>

/** Other controllers may share the informers. */
export interface MachineConfigurationCaches {
  readonly machineConfigurations: Cache<MachineConfiguration>
  /** For the certificate delivery. */
  readonly controllerConfigs: Cache<ControllerConfig>
}

const { machineConfiguration: key } = names

/** The only key is the name of the MachineConfiguration. */
export function machineConfigurationInputs(caches: MachineConfigurationCaches): Input[] {
  return [
    withStart(
      input({
        resource: machineConfigurations.kind,
        informer: caches.machineConfigurations,
        keys: () => [key],
      }),
    ),
    input({
      resource: 'ControllerConfig',
      informer: caches.controllerConfigs,
      keys: (change) => (isRelevantChange(change, relevantField) ? [key] : []),
    }),
  ]
}

/** Enqueues the key at the start, because the object may have to be created. */
function withStart(followed: Input): Input {
  return {
    ...followed,
    subscribe: (enqueue) => {
      const leave = followed.subscribe(enqueue)
      enqueue(key, 0)
      return leave
    },
  }
}

const relevantField = ({ metadata }: Readonly<ControllerConfig>): unknown =>
  metadata.annotations?.[ownControllerConfigAnnotations.certificateDelivery]
