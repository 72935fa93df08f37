import type { Place } from '../report.ts'

export function checkPath(path: string, place: Place): void {
  const problem = pathProblem(path)
  if (problem) place.error(problem)
}

function pathProblem(path: string): string | undefined {
  if (path === '') return 'is required'
  if (!path.startsWith('/')) return 'must be absolute, that is, begin with "/"'
  // A doubled or closing slash, "." or "..": two spellings of one path would not be seen as the same file.
  if (path !== '/' && /\/(?:\.{0,2})(?:\/|$)/.test(path)) {
    return 'must be written without "//", "." , ".." and without a "/" at its end'
  }
  return undefined
}
