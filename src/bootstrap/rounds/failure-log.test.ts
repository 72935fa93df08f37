import { expect, it } from 'vitest'
import { Stalled } from '@machinist/core/errors'
import { FailureLog } from './failure-log.ts'

it('the failure log keeps the last error of each controller and key, and no stalled ones', () => {
  const log = new FailureLog()
  const render = log.with({ controller: 'render', reconcileID: 'x' })
  render.info()
  render.with({ key: 'worker' }).error('reconcile failed', new Error('first'))
  render.with({ key: 'worker' }).error('reconcile failed', new Error('second'))
  render.with({ key: 'master' }).error('reconcile failed', new Error('third'))
  render.with({ key: 'infra' }).error('stalled', new Stalled('BadSelector', 'fourth'))
  log.error('cannot connect', 'fifth')
  expect(log.failures).toEqual([
    'a component: cannot connect: fifth',
    'render: reconcile failed of master: third',
    'render: reconcile failed of worker: second',
  ])
})
