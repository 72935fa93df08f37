import { groupVersion } from '../../discovery/group-versions.ts'
import type { ApiResponse } from '../messages/response.ts'
import type { ApiParts } from '../messages/api-parts.ts'
import { healthPaths } from './health.ts'

/** `/`: the index of paths, always indented. */
export function answerRoot(parts: ApiParts, answer: ApiResponse): void {
  const paths = [...new Set(pathsOf(parts))].sort()
  answer.bytes(200, 'application/json', JSON.stringify({ paths }, null, 2))
}

function* pathsOf({ verbs, pages }: ApiParts): Iterable<string> {
  yield* ['/api', '/apis', '/apis/', '/version']
  for (const { group, version } of verbs.kinds.all) {
    if (group !== '') yield `/apis/${group}`
    yield `${group === '' ? '/api' : '/apis'}/${groupVersion(group, version)}`
  }
  yield* healthPaths()
  for (const page of pages ?? []) yield* page.paths
}
