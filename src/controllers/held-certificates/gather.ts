import type { Clock } from '@machinist/core/clock'
import { ownControllerConfigAnnotations } from '../../api/annotations.ts'
import type { ControllerConfig, MachineConfig } from '../../api/kinds/resources.ts'
import { names } from '../../api/names.ts'
import type { CertificateDelivery } from '../../api/trust/items.ts'
import type { HeldCertificatesFacts } from './facts.ts'
import type { HeldCertificatesCaches } from './inputs.ts'

/** Undefined if the pool does not exist. */
export function gather(
  name: string,
  caches: HeldCertificatesCaches,
  clock: Clock,
): HeldCertificatesFacts | undefined {
  const pool = caches.pools.get(name)
  if (!pool) return undefined
  const { spec, status } = pool
  const found = (config: string | undefined): Readonly<MachineConfig> | undefined =>
    config ? caches.machineConfigs.get(config) : undefined
  return {
    pool,
    delivery: deliveryOf(caches.controllerConfigs.get(names.controllerConfig)),
    current: found(status?.configuration?.name),
    desired: found(spec.configuration?.name),
    now: clock.now(),
  }
}

export function deliveryOf(config: Readonly<ControllerConfig> | undefined): CertificateDelivery {
  const value = config?.metadata.annotations?.[ownControllerConfigAnnotations.certificateDelivery]
  return value === 'rendered' ? 'rendered' : 'direct'
}
