import { messageOf } from '@machinist/core/errors'
import type { Answer } from './answer.ts'
import type { ApiParts } from './api-parts.ts'

/** `/healthz`, `/livez`, `/readyz`: one check of them by name, or all, each with its own line with `?verbose`. */
export function answerHealth(
  parts: ApiParts,
  path: string,
  query: URLSearchParams,
  answer: Answer,
): boolean {
  const [door = '', ...rest] = path.split('/').slice(1)
  const checks = doors.get(door)
  if (!checks) return false
  if (rest.length > 0) return answerOne(parts, checks, rest.join('/'), answer)
  const excluded = new Set(query.getAll('exclude'))
  const results = checks.map(({ name, failure }) => ({
    name,
    isExcluded: excluded.delete(name),
    problem: failure(parts),
  }))
  const failed = results.some(({ isExcluded, problem }) => !isExcluded && problem !== undefined)
  const report = [...results.map(lineOf), ...notThere(excluded), verdict(door, !failed), '']
  const isTold = failed || query.has('verbose')
  answer.text(failed ? 500 : 200, isTold ? report.join('\n') : 'ok')
  return true
}

/** Where health is asked for, with every single check. */
export const healthPaths = (): string[] =>
  [...doors].flatMap(([door, checks]) =>
    ['', ...checks.map(({ name }) => `/${name}`)].map((check) => `/${door}${check}`),
  )

interface Check {
  readonly name: string
  /** Why it fails; undefined: it does not. */
  readonly failure: (parts: ApiParts) => string | undefined
}

const alive: readonly Check[] = [
  { name: 'ping', failure: () => undefined },
  { name: 'log', failure: () => undefined },
  { name: 'etcd', failure: storeFailure },
]

const ready: readonly Check[] = [
  ...alive,
  {
    name: 'etcd-readiness',
    failure: (parts) => storeFailure(parts) ?? parts.verbs.store.writeProblem(),
  },
  {
    name: 'informer-sync',
    failure: ({ cache, verbs }) =>
      cache.sizes.heard < verbs.store.revision ? 'the watch cache lags behind' : undefined,
  },
  {
    name: 'shutdown',
    failure: (parts) => (parts.ready() ? undefined : 'process is shutting down'),
  },
]

const doors = new Map([
  ['healthz', alive],
  ['livez', alive],
  ['readyz', ready],
])

/** The names are those of kube-apiserver, where probes and dashboards expect them: `etcd` is the store. */
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
  answer: Answer,
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

/** Anybody may ask, so why it fails is for the single check and for the log. */
function lineOf({ name, isExcluded, problem }: Result): string {
  if (isExcluded) return `[+]${name} excluded: ok`
  return problem === undefined ? `[+]${name} ok` : `[-]${name} failed: reason withheld`
}

function notThere(names: ReadonlySet<string>): string[] {
  if (names.size === 0) return []
  const list = [...names].map((name) => JSON.stringify(name)).join(',')
  return [`warn: some health checks cannot be excluded: no matches for ${list}`]
}

const verdict = (door: string, passed: boolean): string =>
  `${door} check ${passed ? 'passed' : 'failed'}`
