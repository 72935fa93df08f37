import { InvalidInput } from '@machinist/core/errors'
import { names } from '../../api/names.ts'
import { nodePaths } from '../../api/node-paths.ts'
import { crioCredentialProviderConfigs } from '../../api/openshift-config.ts'
import type { MachineConfig } from '../../api/kinds/resources.ts'
import type { Maker } from '../../fleet/render/maker.ts'
import { fileIn, pathsIn } from '../generated/base-file.ts'
import { configsByName } from '../generated/caches.ts'
import { kubeletBase } from '../kubelet-defaults/layers.ts'
import { isReachedByRole, poolSettings } from '../node-settings/pool-settings.ts'
import type { PoolSettings } from '../node-settings/settings-kind.ts'
import type { TemplateSources } from '../node-settings/templates.ts'
import { baseOf } from '../node-settings/templates.ts'
import { containerRuntimeOf } from '../template/variables.ts'
import type { CredentialProvidersFacts, ProviderBase, ProviderFile } from './facts.ts'
import type { CredentialProvidersCaches } from './inputs.ts'
import { isGeneratedName } from './names.ts'
import { parseProviders } from './provider-file.ts'

/** Without an object too: its MachineConfigs are deleted. */
export function gather(caches: CredentialProvidersCaches, maker: Maker): CredentialProvidersFacts {
  const isLost = caches.lostKinds().includes(crioCredentialProviderConfigs)
  const found = isLost ? undefined : caches.credentialProviderConfigs.get(names.clusterConfig)
  const object = found?.metadata.deletionTimestamp === undefined ? found : undefined
  const hasImages = (object?.spec?.matchImages ?? []).length > 0
  const pools = hasImages ? ownPools(caches) : []
  const named = caches.machineConfigs
    .list()
    .filter(({ metadata }) => isGeneratedName(metadata.name))
  return {
    isLost,
    object,
    bases: new Map(pools.map((pool) => [pool.name, providerBase(pool, { caches, maker })])),
    stored: configsByName(named),
    maker,
  }
}

/** Pools that need their own MachineConfig: those that do not select the one of a built-in pool. */
function ownPools({ pools }: CredentialProvidersCaches): PoolSettings[] {
  return pools
    .list()
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(poolSettings)
    .filter((pool) => !isReachedByRole(pool, pools))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

function providerBase(pool: PoolSettings, sources: TemplateSources): ProviderBase {
  const found = baseOf(pool, kubeletBase(pool.role), sources)
  if ('waitsFor' in found) return found
  const config = sources.caches.controllerConfigs.get(names.controllerConfig)!
  try {
    if (containerRuntimeOf(config) !== 'crio') {
      return {
        unsupported:
          'its nodes do not run CRI-O, which provides the credential provider; use CRI-O, or clear spec.matchImages',
      }
    }
    return { file: providerFile(found.base) }
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    return { unreadable: error.message }
  }
}

/** The file of the cloud's credential provider, if there is one. Throws InvalidInput if it is unreadable. */
function providerFile(base: Readonly<MachineConfig>): ProviderFile | undefined {
  const path = pathsIn(base).find((one) => one.startsWith(`${nodePaths.credentialProviders}/`))
  const text = path === undefined ? undefined : fileIn(base, path)
  if (path === undefined || text === undefined) return undefined
  return { path, config: parseProviders(text, `${path} in MachineConfig ${base.metadata.name}`) }
}
