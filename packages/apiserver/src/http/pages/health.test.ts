import { describe, expect, it } from 'vitest'
import type { ApiResponse } from '../messages/response.ts'
import type { ApiParts } from '../messages/api-parts.ts'
import { answerHealth, healthPaths } from './health.ts'

/** The parts that health checks read. */
function parts({
  ready = true,
  deliveredRevision = 7,
  broken = false,
  full = false,
} = {}): ApiParts {
  const store = {
    revision: 7,
    get(): undefined {
      if (broken) throw new Error('disk I/O error')
    },
    writeProblem: () => (full ? 'database or disk is full' : undefined),
  }
  const some = { ready: () => ready, cache: { sizes: { deliveredRevision } }, verbs: { store } }
  return some as unknown as ApiParts
}

function requested(path: string, of: ApiParts): string | undefined {
  let reported: string | undefined
  const answer = {
    text: (code: number, text: string) => (reported = `${code} ${text}`),
    bytes: (code: number, _type: string, text: string) => (reported = `${code} ${text}`),
  }
  const { pathname, searchParams } = new URL(path, 'http://localhost')
  const answered = answerHealth(of, pathname, searchParams, answer as unknown as ApiResponse)
  return answered ? reported : undefined
}

describe('health', () => {
  it('is ok if all checks pass', () => {
    const paths = healthPaths()
    expect(paths).toHaveLength(15)
    for (const path of paths) expect([path, requested(path, parts())]).toEqual([path, '200 ok'])
  })

  it('fails at the affected endpoint, with the failed check but not the reason', () => {
    expect(requested('/livez', parts({ ready: false }))).toBe('200 ok')
    expect(requested('/readyz', parts({ ready: false }))).toBe(
      [
        '500 [+]ping ok',
        '[+]log ok',
        '[+]etcd ok',
        '[+]etcd-readiness ok',
        '[+]informer-sync ok',
        '[-]shutdown failed: reason withheld',
        'readyz check failed',
        '',
      ].join('\n'),
    )
    expect(requested('/readyz?exclude=shutdown', parts({ ready: false }))).toBe('200 ok')
  })

  it('has the reason at a single check', () => {
    const broken = parts({ broken: true })
    expect(requested('/livez/etcd', broken)).toBe('500 internal server error: disk I/O error\n')
    expect(requested('/livez/ping', broken)).toBe('200 ok')
    expect(requested('/livez', broken)).toContain('[-]etcd failed: reason withheld')
    expect(requested('/readyz/informer-sync', parts({ deliveredRevision: 6 }))).toBe(
      '500 internal server error: the watch cache lags behind\n',
    )
  })

  it('is live but not ready while writes fail', () => {
    const full = parts({ full: true })
    expect(requested('/livez', full)).toBe('200 ok')
    expect(requested('/readyz', full)).toContain('[-]etcd-readiness failed: reason withheld')
    expect(requested('/readyz/etcd-readiness', full)).toBe(
      '500 internal server error: database or disk is full\n',
    )
  })

  it('answers only its own paths', () => {
    for (const path of ['/readyz/', '/readyz/nonsense', '/livez/shutdown', '/health']) {
      expect(requested(path, parts())).toBeUndefined()
    }
  })
})
