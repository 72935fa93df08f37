import type { Registry } from '../../planner/registries.ts'
import { editRegistries } from './edit-registries.ts'
import type { RegistryWishes } from './edit-registries.ts'
import { placesOf, registryFinder } from './pull-sources.ts'
import { isMirror, isNested } from './scopes.ts'

/** The image of the release that the cluster is to run. Nodes that cannot pull it cannot be updated, or even start. */
export interface Payload {
  /** Without tag and digest. */
  readonly repository: string
  readonly by: 'digest' | 'tag'
}

/** Undefined if it is no image with a registry in front. */
export function payloadOf(releaseImage: string): Payload | undefined {
  const [, repository = '', digest] =
    /^([^@]*?)(?::\w[\w.-]{0,127})?(@[a-z0-9+._-]+:[a-f0-9]{32,})?$/i.exec(releaseImage) ?? []
  const [registry = '', ...path] = repository.split('/')
  const isQualified = /[.:]/.test(registry) || registry === 'localhost'
  if (!isMirror(repository) || path.length === 0 || !isQualified) return undefined
  return { repository, by: digest === undefined ? 'tag' : 'digest' }
}

/** Whether nodes could still pull the payload from a mirror of it that nothing blocks. */
export function hasOpenMirror(
  { repository, by }: Payload,
  { insecure, blocked, digest }: Omit<RegistryWishes, 'tag'>,
): boolean {
  const { registries } = editRegistries(nothing, { insecure, blocked, digest, tag: [] })
  const registry = registryFinder(registries)(repository)
  const places = registry ? placesOf(registry, repository, by) : []
  return places.some(({ name }) => !blocked.some((scope) => isNested(name, scope)))
}

/** The entry that leaves nodes no place at all to pull the payload from, if there is one. */
export function cutOffBy(
  { repository, by }: Payload,
  registries: readonly Registry[],
): Registry | undefined {
  const registry = registryFinder(registries)(repository)
  const isCutOff = registry?.blocked && placesOf(registry, repository, by).length < 2
  return isCutOff ? registry : undefined
}

const nothing = { registries: [], shortNameMode: '', layerStoreHelper: '' }
