import { names } from '../../api/names.ts'
import { nodePaths } from '../../api/node-paths.ts'
import type { CRIOCredentialProviderConfig } from '../../api/openshift-config.ts'
import type { MachineConfig, MachineConfigPool } from '../../api/resources.ts'
import { InvalidInput } from '@machinist/core/errors'
import type { Resource } from '@machinist/core/resource'
import { fileIn, pathsIn } from '../generated/base-file.ts'
import type { Maker } from '../../fleet/render/maker.ts'
import { isReachedByRole } from '../kubelet-defaults/act.ts'
import { kubeletBase } from '../kubelet-defaults/gather.ts'
import { poolSettings } from '../node-settings/pool-settings.ts'
import type { PoolSettings } from '../node-settings/settings-kind.ts'
import type { TemplateCaches } from '../node-settings/templates.ts'
import { baseOf } from '../node-settings/templates.ts'
import type { Cache } from '../render/caches.ts'
import { containerRuntimeOf } from '../template/variables.ts'
import type { Facts, Ground, ProviderFile } from './decide.ts'
import { parseProviders } from './provider-file.ts'

/** What it follows; the informers may be shared with others. */
export interface CredentialProvidersCaches extends TemplateCaches {
  readonly pools: Cache<MachineConfigPool>
  /** Empty where the cluster has no such kind. */
  readonly credentialProviderConfigs: Cache<CRIOCredentialProviderConfig>
  /** Of all kinds that not every cluster has, those that were served before and are not now. */
  readonly lostKinds: () => readonly Resource[]
}

export interface GatherOptions {
  readonly caches: CredentialProvidersCaches
  readonly maker: Maker
}

/** The one object, unless it is going. */
export function objectIn({
  credentialProviderConfigs,
}: CredentialProvidersCaches): Readonly<CRIOCredentialProviderConfig> | undefined {
  const object = credentialProviderConfigs.get(names.clusterConfig)
  return object?.metadata.deletionTimestamp === undefined ? object : undefined
}

/** Everything about the pools that need a MachineConfig of their own: all whom that of a built-in pool does not reach. */
export function gather(
  object: Readonly<CRIOCredentialProviderConfig> | undefined,
  options: GatherOptions,
): Facts {
  const matchImages = object?.spec?.matchImages ?? []
  const { pools } = options.caches
  const settings = (matchImages.length > 0 ? pools.list() : [])
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(poolSettings)
    .filter((pool) => !isReachedByRole(pool, pools))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
  return {
    matchImages,
    grounds: new Map(settings.map((pool) => [pool.name, groundOf(pool, options)])),
  }
}

function groundOf(pool: PoolSettings, options: GatherOptions): Ground {
  const found = baseOf(pool, kubeletBase(pool.role), options)
  if ('waits' in found) return found
  const config = options.caches.controllerConfigs.get(names.controllerConfig)!
  try {
    if (containerRuntimeOf(config) !== 'crio') {
      return { unfit: 'its nodes do not run CRI-O, with which the credential provider comes' }
    }
    return { file: providerFile(found.base) }
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    return { unreadable: error.message }
  }
}

/** There is one where the cloud has a provider of its own. InvalidInput for what cannot be read. */
function providerFile(base: Readonly<MachineConfig>): ProviderFile | undefined {
  const path = pathsIn(base).find((one) => one.startsWith(`${nodePaths.credentialProviders}/`))
  const text = path === undefined ? undefined : fileIn(base, path)
  if (path === undefined || text === undefined) return undefined
  return { path, config: parseProviders(text, `${path} in MachineConfig ${base.metadata.name}`) }
}
