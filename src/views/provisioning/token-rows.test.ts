import { describe, expect, it } from 'vitest'
import { now, secrets } from './sample.fixture.ts'
import { tokenRows } from './token-rows.ts'
describe('provisioning tokens', () => {
  it('are listed as data, without the tokens', () => {
    const rows = tokenRows(secrets, now)
    expect(rows.at(-1)).toEqual({
      name: 'provisioning-token-worker',
      pool: 'worker',
      state: 'valid',
      isManaged: true,
      isSingleUse: false,
      issuedAt: '2026-01-09T00:00:00Z',
      previousValidUntil: '2026-01-16T00:00:00Z',
    })
    expect(JSON.stringify(rows)).not.toMatch(/aaaaa|bbbbb/)
  })

  it('are used up after the time for repetitions', () => {
    const at = (ms: number) => tokenRows(secrets, Date.parse('2026-01-09T12:00:00Z') + ms)[3]!.state
    expect([at(599_999), at(600_000)]).toEqual(['valid', 'used'])
  })

  it('whose previous token has expired have none', () => {
    const [row] = tokenRows(secrets.slice(0, 1), Date.parse('2026-01-16T00:00:00Z'))
    expect(row).not.toHaveProperty('previousValidUntil')
  })
})
