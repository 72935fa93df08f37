import type { Place } from '../report/report.ts'

export function checkPath(path: string, place: Place): void {
  const problem = pathProblem(path)
  if (problem) place.error(problem)
}

function pathProblem(path: string): string | undefined {
  if (path === '') return 'is required'
  if (!path.startsWith('/')) return 'must be an absolute path that starts with "/"'
  // Rejects "//", a trailing slash, "." and "..", so that a file has only one path.
  if (path !== '/' && /\/(?:\.{0,2})(?:\/|$)/.test(path)) {
    return 'must not contain "//", "." or "..", and must not end with "/"'
  }
  return undefined
}
