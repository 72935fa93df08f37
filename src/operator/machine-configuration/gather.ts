import type { Clock } from '@machinist/core/clock'
import { timestamp } from '@machinist/core/timestamp'
import { ownControllerConfigAnnotations } from '../../api/annotations.ts'
import { names } from '../../api/names.ts'
import type { CertificateDelivery } from '../../api/trust/items.ts'
import { certificateDeliveries } from '../../api/trust/items.ts'
import type { MachineConfigurationFacts } from './facts.ts'
import type { MachineConfigurationCaches } from './inputs.ts'

/** Gathers the facts from the caches. */
export function gather(
  caches: MachineConfigurationCaches,
  clock: Clock,
): MachineConfigurationFacts {
  return {
    found: caches.machineConfigurations.get(names.machineConfiguration),
    delivery: deliveryIn(caches),
    now: timestamp(clock.now()),
  }
}

function deliveryIn({ controllerConfigs }: MachineConfigurationCaches): CertificateDelivery {
  const { annotations } = controllerConfigs.get(names.controllerConfig)?.metadata ?? {}
  const value = annotations?.[ownControllerConfigAnnotations.certificateDelivery]
  return certificateDeliveries.find((delivery) => delivery === value) ?? 'direct'
}
