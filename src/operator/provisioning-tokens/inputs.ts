import type { Clock } from '@machinist/core/clock'
import type { KubeObject } from '@machinist/core/objects/resource'
import type { Input } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import type { Informer } from '@machinist/kube/informer/informer'
import type { Secret } from '@machinist/kube/kinds/core'
import type { MachineConfigPool } from '../../api/kinds/resources.ts'
import { managedTokenPool } from '../../fleet/provisioning/token-secret.ts'
import { independentInput } from '../inputs/independent-input.ts'

type Cache<T extends KubeObject> = Pick<
  Informer<T>,
  'get' | 'list' | 'hasSynced' | 'synced' | 'subscribe'
>

/** Other controllers may share the informers. */
export interface ProvisioningTokenCaches {
  readonly pools: Cache<MachineConfigPool>
  /** Secrets of the namespace machinist-provisioning. */
  readonly provisioning: Cache<Secret>
}

/** The keys are names of pools, also of deleted ones that still have a token. */
export function provisioningTokenInputs(caches: ProvisioningTokenCaches, clock: Clock): Input[] {
  const everyPool = (): Set<string> =>
    new Set([
      ...caches.pools.list().map(({ metadata }) => metadata.name),
      ...caches.provisioning.list().flatMap((secret) => managedTokenPool(secret) ?? []),
    ])
  return [
    input({ resource: 'MachineConfigPool', informer: caches.pools }),
    // The controller starts without permission to read Secrets, and reports it.
    independentInput({
      resource: 'Secret',
      informer: caches.provisioning,
      keys: everyPool,
      clock,
    }),
  ]
}
