import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createLogger } from '@machinist/core/log'
import { VirtualClock } from '@machinist/core/virtual-clock'
import type { LoggedLine } from './node-log.ts'
import { isSync, linesOf, nodeLine } from './node-log.ts'
import { mcoLogLine } from './mco-log-lines.ts'

const start = Date.parse('2026-01-01T00:00:00Z')

describe('the log of nodes', () => {
  it('is parsed', async () => {
    const clock = new VirtualClock()
    const lines: (LoggedLine | undefined)[] = []
    const log = createLogger({ clock, write: (text) => lines.push(nodeLine(text)) })
    const node = log.with({ node: 'worker-0' })
    const reconcile = { lane: 'trust', controller: 'node-trust', key: 'worker-0', reconcileID: 'b' }
    node.with(reconcile).info('Certificate was synced', { items: ['a', 'b'], count: 2 })
    log.info('set desiredConfig', { nodes: 'worker-0' })
    node.info('controller stopped', { controller: 'node-daemon' })
    node.with({ informer: 'own node' }).error('lost touch', new Error('a watch was not over'))
    await clock.advance(1500)
    node.error('update failed', new Error('no room'), { to: 'x' })
    expect(lines).toEqual([
      {
        at: start,
        node: 'worker-0',
        message: 'Certificate was synced',
        fields: { items: 'a,b', count: '2' },
      },
      undefined,
      undefined,
      undefined,
      {
        at: start + 1500,
        node: 'worker-0',
        message: 'update failed',
        fields: { to: 'x', error: 'no room' },
      },
    ])
    const found = lines.filter((line) => line !== undefined)
    expect(linesOf(found, 'worker-0', start + 500)).toEqual([
      { seconds: 1, message: 'update failed', fields: { to: 'x', error: 'no room' } },
    ])
    expect(linesOf(found, 'worker-1', start)).toEqual([])
  })

  it('can contain anything', () => {
    fc.assert(fc.property(fc.string(), (text) => void nodeLine(text)))
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(['undefined', 'string']).toContain(typeof nodeLine(text)?.node)
      }),
    )
    for (const text of ['', 'null', '[]', '{}', '{"node":1,"time":"x"}', '{"node":"a"}']) {
      expect(nodeLine(text)).toBeUndefined()
    }
  })
})

const line = (message: string, fields: Record<string, string> = {}) => ({
  seconds: 1,
  message,
  fields,
})

describe('log lines of the MCO', () => {
  it.each([
    [line('decided', { next: 'update' }), 'Starting update from … to …: &{… files:true …}'],
    [line('update applied', { to: 'x' }), 'Node has Desired Config …, skipping reboot'],
    [
      line('decided', { next: 'done' }),
      'Update completed for config … and node has been successfully uncordoned',
    ],
    [line('Certificate was synced from controllerconfig resourceVersion 12'), 'the same message'],
    [line('decided', { next: 'wait' }), undefined],
    [line('update failed'), undefined],
  ])('%j: %s', (logged, expected) => {
    expect(mcoLogLine(logged)).toBe(expected)
  })

  it('report a write to the disk or not', () => {
    const messages = [
      'update applied',
      'Certificate was synced from controllerconfig resourceVersion 12',
      'decided',
      'update failed',
    ]
    expect(messages.map((message) => isSync({ message }))).toEqual([true, true, false, false])
  })
})
