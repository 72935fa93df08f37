import type { StepContext } from '@machinist/kube/controller/step-controller'
import { machineConfigPools } from '../../api/kinds/resources.ts'
import { managedTokenKey } from '../../fleet/provisioning/token-secret.ts'
import type { ProvisioningTokenFacts } from './facts.ts'
import type { ProvisioningTokenCaches } from './inputs.ts'

/** Undefined if there is neither a pool nor a token. */
export async function gather(
  name: string,
  { pools, provisioning }: ProvisioningTokenCaches,
  { client, clock, signal }: Pick<StepContext, 'client' | 'clock' | 'signal'>,
): Promise<ProvisioningTokenFacts | undefined> {
  const pool = pools.get(name)
  const secret = provisioning.get(managedTokenKey(name))
  if (!pool) {
    if (!secret) return undefined
    // One cache may lag behind the other, and removing a token revokes it: the API server confirms that the pool is gone.
    const fields = `metadata.name=${name}`
    const { items } = await client.listMetadata(machineConfigPools, { fields, signal })
    if (items.length > 0) return undefined
  }
  return { name, pool, isKnown: provisioning.hasSynced, secret, now: clock.now() }
}
