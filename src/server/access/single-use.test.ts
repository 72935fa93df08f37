import { describe, expect, it } from 'vitest'
import { createLogger } from '@machinist/core/log'
import { VirtualClock } from '@machinist/core/virtual-clock'
import type { Secret } from '@machinist/kube/kinds/core'
import { ScriptedServer } from '@machinist/testing/servers/scripted-server'
import { sampleToken, tokenSecret } from '../../fleet/provisioning/token.fixture.ts'
import type { AccessDecision } from './access.ts'
import { claimSingleUse } from './single-use.ts'
import type { KnownToken } from './token-match.ts'
import { knownToken } from './token-match.ts'

const clock = new VirtualClock()
const client = { text: '10.0.0.5', bytes: Uint8Array.from([10, 0, 0, 5]) }
const presentation = { presented: sampleToken('a'), client, now: clock.now() }
const place = '/api/v1/namespaces/machinist-provisioning/secrets/lab'

const secret = (version: string, annotations: Record<string, string> = {}): Secret => {
  const made = tokenSecret({ 'token-uses': '1', ...annotations })
  return { ...made, metadata: { ...made.metadata, resourceVersion: version } }
}
const used = (by: string, at = '2026-01-01T00:00:00Z') => ({
  'token-used-at': at,
  'token-used-by': by,
})

async function claim(
  server: ScriptedServer,
): Promise<{ decision: AccessDecision; logged: string }> {
  let logged = ''
  const log = createLogger({ clock, write: (line) => void (logged += line) })
  const tools = { client: server.client, log }
  const decision = await claimSingleUse(knownToken(secret('7')) as KnownToken, presentation, tools)
  return { decision, logged }
}

describe('the use of a single-use token', () => {
  it('is recorded before it is allowed, guarded by the version', async () => {
    const server = new ScriptedServer({})
    expect((await claim(server)).decision).toEqual({ type: 'allowed' })
    expect(server.requests).toEqual([`PATCH ${place}`])
    expect(server.bodies).toEqual([
      {
        metadata: {
          resourceVersion: '7',
          annotations: {
            'machinist.dev/token-used-at': '2026-01-01T00:00:00Z',
            'machinist.dev/token-used-by': '10.0.0.5',
          },
        },
      },
    ])
  })

  it.each([
    ['the same client used it', used('10.0.0.5'), { type: 'allowed' }],
    ['another client used it', used('10.0.0.6'), { status: 401, reason: 'UsedToken' }],
    [
      'the same client used it long ago',
      used('10.0.0.5', '2025-12-31T23:50:00Z'),
      { status: 401, reason: 'UsedToken' },
    ],
    [
      'its ranges changed',
      { 'token-cidrs': '192.0.2.0/24' },
      { status: 403, reason: 'AddressNotAllowed' },
    ],
    ['it is not readable', { 'token-cidrs': 'x' }, { status: 401, reason: 'UnknownToken' }],
  ])('is decided again after a conflict: %s', async (_, annotations, expected) => {
    const server = new ScriptedServer([409, 'Conflict'], secret('8', annotations))
    expect((await claim(server)).decision).toMatchObject(expected)
    expect(server.requests).toEqual([`PATCH ${place}`, `GET ${place}`])
  })

  it('is recorded in the newest version if something else changed', async () => {
    const server = new ScriptedServer([409, 'Conflict'], secret('8'), {})
    expect((await claim(server)).decision).toEqual({ type: 'allowed' })
    expect(server.bodies[2]).toMatchObject({ metadata: { resourceVersion: '8' } })
  })

  it('of a deleted Secret is refused', async () => {
    const patched = new ScriptedServer([404, 'NotFound'])
    expect((await claim(patched)).decision).toMatchObject({ status: 401, reason: 'UnknownToken' })
    const read = new ScriptedServer([409, 'Conflict'], [404, 'NotFound'])
    expect((await claim(read)).decision).toMatchObject({ status: 401, reason: 'UnknownToken' })
  })

  it('that cannot be recorded is refused for the moment, and logged without a secret', async () => {
    const { decision, logged } = await claim(new ScriptedServer([500, 'InternalError']))
    const expected = { type: 'refused', status: 503, reason: 'TokensUnavailable', retryAfter: 5 }
    expect(decision).toEqual(expected)
    expect(logged).toContain('cannot record the use of a provisioning token')
    expect(logged).not.toContain(sampleToken('a'))
    const conflicts = [409, 'Conflict'] as const
    const busy = new ScriptedServer(
      conflicts,
      secret('8'),
      conflicts,
      secret('9'),
      conflicts,
      secret('10'),
    )
    expect((await claim(busy)).decision).toEqual(expected)
  })
})
