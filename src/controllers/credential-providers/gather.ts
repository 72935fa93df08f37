import { names } from '../../api/names.ts'
import { nodePaths } from '../../api/node-paths.ts'
import type { CRIOCredentialProviderConfig } from '../../api/openshift-config.ts'
import type { MachineConfig, MachineConfigPool } from '../../api/kinds/resources.ts'
import { InvalidInput } from '@machinist/core/errors'
import type { Resource } from '@machinist/core/objects/resource'
import { fileIn, pathsIn } from '../generated/base-file.ts'
import type { Maker } from '../../fleet/render/maker.ts'
import { isReachedByRole } from '../kubelet-defaults/act.ts'
import { kubeletBase } from '../kubelet-defaults/gather.ts'
import { poolSettings } from '../node-settings/pool-settings.ts'
import type { PoolSettings } from '../node-settings/settings-kind.ts'
import type { TemplateCaches } from '../node-settings/templates.ts'
import { baseOf } from '../node-settings/templates.ts'
import type { SharedCache } from '../render/caches.ts'
import { containerRuntimeOf } from '../template/variables.ts'
import type { CredentialProvidersFacts, ProviderBase, ProviderFile } from './decide.ts'
import { parseProviders } from './provider-file.ts'

/** The caches of this controller; other controllers may share the informers. */
export interface CredentialProvidersCaches extends TemplateCaches {
  readonly pools: SharedCache<MachineConfigPool>
  /** Empty if the cluster does not serve the kind. */
  readonly credentialProviderConfigs: SharedCache<CRIOCredentialProviderConfig>
  /** The optional kinds that were served before and are not any more. */
  readonly lostKinds: () => readonly Resource[]
}

export interface CredentialProvidersGatherOptions {
  readonly caches: CredentialProvidersCaches
  readonly maker: Maker
}

/** Object `cluster`, unless it is being deleted. */
export function objectIn({
  credentialProviderConfigs,
}: CredentialProvidersCaches): Readonly<CRIOCredentialProviderConfig> | undefined {
  const object = credentialProviderConfigs.get(names.clusterConfig)
  return object?.metadata.deletionTimestamp === undefined ? object : undefined
}

/** Gathers the facts of pools that need their own MachineConfig: those that do not select the one of a built-in pool. */
export function gather(
  object: Readonly<CRIOCredentialProviderConfig> | undefined,
  options: CredentialProvidersGatherOptions,
): CredentialProvidersFacts {
  const matchImages = object?.spec?.matchImages ?? []
  const { pools } = options.caches
  const settings = (matchImages.length > 0 ? pools.list() : [])
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(poolSettings)
    .filter((pool) => !isReachedByRole(pool, pools))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
  return {
    matchImages,
    bases: new Map(settings.map((pool) => [pool.name, providerBase(pool, options)])),
  }
}

function providerBase(pool: PoolSettings, options: CredentialProvidersGatherOptions): ProviderBase {
  const found = baseOf(pool, kubeletBase(pool.role), options)
  if ('waitsFor' in found) return found
  const config = options.caches.controllerConfigs.get(names.controllerConfig)!
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
