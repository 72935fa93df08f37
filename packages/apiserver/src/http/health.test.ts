import { describe, expect, it } from 'vitest'
import type { Answer } from './answer.ts'
import type { ApiParts } from './api-parts.ts'
import { answerHealth, healthPaths } from './health.ts'

/** Just what health looks at. */
function parts({ ready = true, heard = 7, broken = false, full = false } = {}): ApiParts {
  const store = {
    revision: 7,
    get(): undefined {
      if (broken) throw new Error('disk I/O error')
    },
    writeProblem: () => (full ? 'database or disk is full' : undefined),
  }
  const some = { ready: () => ready, cache: { sizes: { heard } }, verbs: { store } }
  return some as unknown as ApiParts
}

function asked(path: string, of: ApiParts): string | undefined {
  let said: string | undefined
  const answer = {
    text: (code: number, text: string) => (said = `${code} ${text}`),
    bytes: (code: number, _type: string, text: string) => (said = `${code} ${text}`),
  }
  const { pathname, searchParams } = new URL(path, 'http://localhost')
  const answered = answerHealth(of, pathname, searchParams, answer as unknown as Answer)
  return answered ? said : undefined
}

describe('health', () => {
  it('is ok while all is', () => {
    const paths = healthPaths()
    expect(paths).toHaveLength(15)
    for (const path of paths) expect([path, asked(path, parts())]).toEqual([path, '200 ok'])
  })

  it('fails at the door where it matters, and says what failed but not why', () => {
    expect(asked('/livez', parts({ ready: false }))).toBe('200 ok')
    expect(asked('/readyz', parts({ ready: false }))).toBe(
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
    expect(asked('/readyz?exclude=shutdown', parts({ ready: false }))).toBe('200 ok')
  })

  it('says why at a single check', () => {
    const broken = parts({ broken: true })
    expect(asked('/livez/etcd', broken)).toBe('500 internal server error: disk I/O error\n')
    expect(asked('/livez/ping', broken)).toBe('200 ok')
    expect(asked('/livez', broken)).toContain('[-]etcd failed: reason withheld')
    expect(asked('/readyz/informer-sync', parts({ heard: 6 }))).toBe(
      '500 internal server error: the watch cache lags behind\n',
    )
  })

  it('is alive and not ready while nothing can be written', () => {
    const full = parts({ full: true })
    expect(asked('/livez', full)).toBe('200 ok')
    expect(asked('/readyz', full)).toContain('[-]etcd-readiness failed: reason withheld')
    expect(asked('/readyz/etcd-readiness', full)).toBe(
      '500 internal server error: database or disk is full\n',
    )
  })

  it('is asked for nowhere else', () => {
    for (const path of ['/readyz/', '/readyz/nonsense', '/livez/shutdown', '/health']) {
      expect(asked(path, parts())).toBeUndefined()
    }
  })
})
