import type { CRIOCredentialProviderConfig } from '../../api/openshift-config.ts'
import { crioCredentialProviderConfigs } from '../../api/openshift-config.ts'
import type { MachineConfig } from '../../api/resources.ts'
import { generatedMachineConfig, isUnclaimed } from '../generated/machine-config.ts'
import type { Maker } from '../../fleet/render/maker.ts'
import { ownerReference } from '../../fleet/render/owner.ts'
import type { StoreOptions, StoreProblem } from '../generated/store.ts'
import { removeAll, store } from '../generated/store.ts'
import type { Cache } from '../render/caches.ts'
import type { Plan } from './decide.ts'

const machineConfigName = (pool: string): string => `97-${pool}-generated-credentialproviderconfig`

/** Whether a MachineConfig has such a name. */
export const isNamedSo = (name: string): boolean =>
  /^97-.+-generated-credentialproviderconfig$/.test(name)

export interface ActOptions extends StoreOptions {
  readonly machineConfigs: Cache<MachineConfig>
  readonly maker: Maker
}

/** Stores what pools get, and removes all else that we made. What could not be stored is answered. */
export async function act(
  { specs, held }: Pick<Plan, 'specs' | 'held'>,
  object: Readonly<CRIOCredentialProviderConfig> | undefined,
  options: ActOptions,
): Promise<StoreProblem[]> {
  const place = crioCredentialProviderConfigs
  const owner = object && ownerReference(place, object, { isController: false })
  const problems: StoreProblem[] = []
  for (const [pool, spec] of specs) {
    const name = machineConfigName(pool)
    const wanted = generatedMachineConfig({ name, role: pool, spec, owner }, options.maker)
    const problem = await store(wanted, options.machineConfigs.get(name), options)
    if (problem) problems.push(problem)
  }
  const kept = new Set([...specs.keys(), ...held].map(machineConfigName))
  const stale = options.machineConfigs
    .list()
    .filter(({ metadata: { name } }) => isNamedSo(name) && !kept.has(name))
    .filter(isUnclaimed)
  await removeAll(stale, options)
  return problems
}
