import type { CRIOCredentialProviderConfig } from '../../api/openshift-config.ts'
import { crioCredentialProviderConfigs } from '../../api/openshift-config.ts'
import type { MachineConfig } from '../../api/kinds/resources.ts'
import { generatedMachineConfig, isUnclaimed } from '../generated/machine-config.ts'
import type { Maker } from '../../fleet/render/maker.ts'
import { ownerReference } from '../../fleet/render/owner.ts'
import type { StoreOptions, StoreProblem } from '../generated/store.ts'
import { deleteConfigs, storeConfig } from '../generated/store.ts'
import type { SharedCache } from '../render/caches.ts'
import type { CredentialProvidersPlan } from './decide.ts'

const machineConfigName = (pool: string): string => `97-${pool}-generated-credentialproviderconfig`

/** Whether it is the name of a MachineConfig of this controller. */
export const isGeneratedName = (name: string): boolean =>
  /^97-.+-generated-credentialproviderconfig$/.test(name)

export interface CredentialProvidersActOptions extends StoreOptions {
  readonly machineConfigs: SharedCache<MachineConfig>
  readonly maker: Maker
}

/** Stores the MachineConfigs of pools, and deletes other generated ones. Returns the failed writes. */
export async function act(
  { specs, held }: Pick<CredentialProvidersPlan, 'specs' | 'held'>,
  object: Readonly<CRIOCredentialProviderConfig> | undefined,
  options: CredentialProvidersActOptions,
): Promise<StoreProblem[]> {
  const resource = crioCredentialProviderConfigs
  const owner = object && ownerReference(resource, object, { isController: false })
  const problems: StoreProblem[] = []
  for (const [pool, spec] of specs) {
    const name = machineConfigName(pool)
    const desired = generatedMachineConfig({ name, role: pool, spec, owner }, options.maker)
    const problem = await storeConfig(desired, options.machineConfigs.get(name), options)
    if (problem) problems.push(problem)
  }
  const kept = new Set([...specs.keys(), ...held].map(machineConfigName))
  const stale = options.machineConfigs
    .list()
    .filter(({ metadata: { name } }) => isGeneratedName(name) && !kept.has(name))
    .filter(isUnclaimed)
  await deleteConfigs(stale, options)
  return problems
}
