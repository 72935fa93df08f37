import type { Secret } from '@machinist/kube/kinds/core'
import { sampleToken, tokenSecret } from '../../fleet/provisioning/token.fixture.ts'

export const now = Date.parse('2026-01-10T00:00:00Z')
const [a, b] = [sampleToken('a'), sampleToken('b')]
const named = (name: string, ...given: Parameters<typeof tokenSecret>): Secret => {
  const secret = tokenSecret(...given)
  return { ...secret, metadata: { ...secret.metadata, name } }
}
/** One Secret in each state. */
export const secrets: readonly Secret[] = [
  named(
    'provisioning-token-worker',
    {
      'token-issued-at': '2026-01-09T00:00:00Z',
      'previous-valid-until': '2026-01-16T00:00:00Z',
    },
    { token: a, previous: b },
  ),
  named('lab', {
    'token-issued-at': '2026-01-09T00:00:00Z',
    'token-expires-at': '2026-01-11T00:00:00Z',
    'token-cidrs': '10.0.0.0/8',
    'token-uses': '1',
  }),
  named('old', { 'token-expires-at': '2026-01-10T00:00:00Z' }),
  named('once', {
    'token-uses': '1',
    'token-used-at': '2026-01-09T12:00:00Z',
    'token-used-by': '10.0.0.5',
  }),
  named('odd', { 'token-uses': 'many' }),
]
