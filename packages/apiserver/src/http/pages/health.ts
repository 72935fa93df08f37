import { messageOf } from '@machinist/core/errors'
import type { ApiResponse } from '../messages/response.ts'
import type { ApiParts } from '../messages/api-parts.ts'

/** `/healthz`, `/livez`, `/readyz`: all checks, or one by name; `?verbose` prints a line per check. */
export function answerHealth(
  parts: ApiParts,
  path: string,
  query: URLSearchParams,
  answer: ApiResponse,
): boolean {
  const [endpoint = '', ...rest] = path.split('/').slice(1)
  const checks = endpoints.get(endpoint)
  if (!checks) return false
  if (rest.length > 0) return answerOne(parts, checks, rest.join('/'), answer)
  const excluded = new Set(query.getAll('exclude'))
  const results = checks.map(({ name, failure }) => ({
    name,
    isExcluded: excluded.delete(name),
    problem: failure(parts),
  }))
  const failed = results.some(({ isExcluded, problem }) => !isExcluded && problem !== undefined)
  const report = [
    ...results.map(lineOf),
    ...unknownExclusions(excluded),
    verdict(endpoint, !failed),
    '',
  ]
  const isTold = failed || query.has('verbose')
  answer.text(failed ? 500 : 200, isTold ? report.join('\n') : 'ok')
  return true
}

/** The health paths, including each single check. */
export const healthPaths = (): string[] =>
  [...endpoints].flatMap(([endpoint, checks]) =>
    ['', ...checks.map(({ name }) => `/${name}`)].map((check) => `/${endpoint}${check}`),
  )

interface Check {
  readonly name: string
  /** The reason of a failure; undefined if the check passes. */
  readonly failure: (parts: ApiParts) => string | undefined
}

const livezChecks: readonly Check[] = [
  { name: 'ping', failure: () => undefined },
  { name: 'log', failure: () => undefined },
  { name: 'etcd', failure: storeFailure },
]

const readyzChecks: readonly Check[] = [
  ...livezChecks,
  {
    name: 'etcd-readiness',
    failure: (parts) => storeFailure(parts) ?? parts.verbs.store.writeProblem(),
  },
  {
    name: 'informer-sync',
    failure: ({ cache, verbs }) =>
      cache.sizes.deliveredRevision < verbs.store.revision
        ? 'the watch cache lags behind'
        : undefined,
  },
  {
    name: 'shutdown',
    failure: (parts) => (parts.ready() ? undefined : 'process is shutting down'),
  },
]

const endpoints = new Map([
  ['healthz', livezChecks],
  ['livez', livezChecks],
  ['readyz', readyzChecks],
])

/** Check names are kube-apiserver's, as probes and dashboards expect: `etcd` is the store. */
function storeFailure({ verbs }: ApiParts): string | undefined {
  try {
    verbs.store.get('/')
    return undefined
  } catch (error) {
    return messageOf(error)
  }
}

function answerOne(
  parts: ApiParts,
  checks: readonly Check[],
  name: string,
  answer: ApiResponse,
): boolean {
  const check = checks.find((each) => each.name === name)
  if (!check) return false
  const problem = check.failure(parts)
  if (problem === undefined) answer.bytes(200, 'text/plain; charset=utf-8', 'ok')
  else answer.text(500, `internal server error: ${problem}\n`)
  return true
}

interface Result {
  readonly name: string
  readonly isExcluded: boolean
  readonly problem: string | undefined
}

/** These paths are public, so the reason appears only in the single check and in the log. */
function lineOf({ name, isExcluded, problem }: Result): string {
  if (isExcluded) return `[+]${name} excluded: ok`
  return problem === undefined ? `[+]${name} ok` : `[-]${name} failed: reason withheld`
}

function unknownExclusions(names: ReadonlySet<string>): string[] {
  if (names.size === 0) return []
  const list = [...names].map((name) => JSON.stringify(name)).join(',')
  return [`warn: some health checks cannot be excluded: no matches for ${list}`]
}

const verdict = (endpoint: string, passed: boolean): string =>
  `${endpoint} check ${passed ? 'passed' : 'failed'}`
