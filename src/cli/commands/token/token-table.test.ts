import { expect, it } from 'vitest'
import { now, secrets } from '../../../views/provisioning/sample.fixture.ts'
import { tokenRows } from '../../../views/provisioning/token-rows.ts'
import { tokenTable } from './token-table.ts'

it('tokens are listed as a table', () => {
  expect(tokenTable(tokenRows(secrets, now))).toBe(
    `NAME                       POOL    STATE    ISSUED                EXPIRES               DETAILS
lab                        worker  valid    2026-01-09T00:00:00Z  2026-01-11T00:00:00Z  single use, from 10.0.0.0/8
odd                        worker  invalid  -                     never                 annotation machinist.dev/token-uses must be 1, or absent
old                        worker  expired  -                     2026-01-10T00:00:00Z  -
once                       worker  used     -                     never                 single use, used by 10.0.0.5 at 2026-01-09T12:00:00Z
provisioning-token-worker  worker  valid    2026-01-09T00:00:00Z  never                 rotated by the operator, previous token valid until 2026-01-16T00:00:00Z
`,
  )
})

it('control characters are escaped', () => {
  const [row] = tokenRows(secrets.slice(1, 2), now)
  expect(tokenTable([{ ...row!, cidrs: '\u001b[2J' }])).toContain('from \\u001b[2J')
})
