import { crioCredentialProviderConfigs } from '../../api/openshift-config.ts'
import { ownerReference } from '../../fleet/render/owner.ts'
import { generatedMachineConfig } from '../generated/machine-config.ts'
import type { StoreOptions, StoreProblem } from '../generated/store.ts'
import { deleteConfigs, storeConfigs } from '../generated/store.ts'
import type { CredentialProvidersPlan } from './decide.ts'
import type { CredentialProvidersFacts } from './facts.ts'
import { machineConfigName } from './names.ts'

/** Stores the MachineConfigs of pools, and deletes other generated ones. Returns the failed writes. */
export async function act(
  { specs, stale }: CredentialProvidersPlan,
  { object, stored, maker }: CredentialProvidersFacts,
  step: StoreOptions,
): Promise<StoreProblem[]> {
  const resource = crioCredentialProviderConfigs
  const owner = object && ownerReference(resource, object, { isController: false })
  const desired = [...specs].map(([pool, spec]) =>
    generatedMachineConfig({ name: machineConfigName(pool), role: pool, spec, owner }, maker),
  )
  const problems = await storeConfigs(desired, stored, step)
  await deleteConfigs(stale, step)
  return problems
}
