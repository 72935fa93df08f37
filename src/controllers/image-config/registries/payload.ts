import type { Registry } from '../../../planner/actions/registries.ts'
import { isMirror, isNested } from '../model/scopes.ts'
import { editRegistries } from './edit-registries.ts'
import type { RegistrySettings } from './edit-registries.ts'
import { pullPlaces, registryFinder } from './pull-sources.ts'

/** The release image that the cluster is to run. Nodes that cannot pull it can neither update nor start. */
export interface Payload {
  /** Without tag and digest. */
  readonly repository: string
  readonly by: 'digest' | 'tag'
}

/** Undefined if the image name does not begin with a registry. */
export function payloadOf(releaseImage: string): Payload | undefined {
  const [, repository = '', digest] =
    /^([^@]*?)(?::\w[\w.-]{0,127})?(@[a-z0-9+._-]+:[a-f0-9]{32,})?$/i.exec(releaseImage) ?? []
  const [registry = '', ...path] = repository.split('/')
  const isQualified = /[.:]/.test(registry) || registry === 'localhost'
  if (!isMirror(repository) || path.length === 0 || !isQualified) return undefined
  return { repository, by: digest === undefined ? 'tag' : 'digest' }
}

/** Whether nodes could still pull the payload from a mirror that is not blocked. */
export function hasOpenMirror(
  { repository, by }: Payload,
  { insecure, blocked, digest }: Omit<RegistrySettings, 'tag'>,
): boolean {
  const { registries } = editRegistries(emptyConf, { insecure, blocked, digest, tag: [] })
  const registry = registryFinder(registries)(repository)
  const places = registry ? pullPlaces(registry, repository, by) : []
  return places.some(({ name }) => !blocked.some((scope) => isNested(name, scope)))
}

/** The entry that leaves no location from which nodes can pull the payload, if there is one. */
export function cutOffBy(
  { repository, by }: Payload,
  registries: readonly Registry[],
): Registry | undefined {
  const registry = registryFinder(registries)(repository)
  const isCutOff = registry?.blocked && pullPlaces(registry, repository, by).length < 2
  return isCutOff ? registry : undefined
}

const emptyConf = { registries: [], shortNameMode: '', layerStoreHelper: '' }
