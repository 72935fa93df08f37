import { groupVersion } from '../discovery/group-versions.ts'
import type { Answer } from './answer.ts'
import type { ApiParts } from './api-parts.ts'
import { healthPaths } from './health.ts'

/** `/`: where everything is. For people, so it always has its line breaks. */
export function answerRoot(parts: ApiParts, answer: Answer): void {
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
