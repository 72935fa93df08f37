import type { Answer } from './answer.ts'
import type { ApiParts } from './api-parts.ts'
import { methodNotAllowed } from './status-body.ts'

const doors = new Set(['healthz', 'livez', 'readyz'])

/** `/healthz`, `/livez`, `/readyz`, one check of them by name, or all with `?verbose`. */
export function answerHealth(
  { ready }: ApiParts,
  path: string,
  query: URLSearchParams,
  answer: Answer,
): boolean {
  const [door = '', name, ...more] = path.replace(/\/$/, '').split('/').slice(1)
  if (!doors.has(door) || more.length > 0) return false
  const checks = checksOf(door, ready())
  const asked = name === undefined ? checks : checks.filter((check) => check.name === name)
  if (asked.length === 0) return false
  if (answer.request.method !== 'GET') throw methodNotAllowed()
  const failed = asked.some(({ ok }) => !ok)
  if (failed) answer.text(500, report(door, asked))
  else answer.text(200, query.has('verbose') ? report(door, asked) : 'ok')
  return true
}

interface Check {
  readonly name: string
  readonly ok: boolean
}

function checksOf(door: string, ready: boolean): Check[] {
  const alive = [
    { name: 'ping', ok: true },
    { name: 'log', ok: true },
    { name: 'etcd', ok: true },
  ]
  return door === 'readyz' ? [...alive, { name: 'shutdown', ok: ready }] : alive
}

function report(door: string, checks: readonly Check[]): string {
  const lines = checks.map(({ name, ok }) =>
    ok ? `[+]${name} ok` : `[-]${name} failed: reason withheld`,
  )
  const passed = checks.every(({ ok }) => ok)
  return [...lines, `${door} check ${passed ? 'passed' : 'failed'}`, ''].join('\n')
}
