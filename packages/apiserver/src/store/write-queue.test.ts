import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { silentLogger } from '@machinist/core/log'
import { until } from '@machinist/testing/until'
import { NextTurn } from './next-turn.ts'
import type { StoreChange } from './store.ts'
import { WriteConflict } from './store.ts'
import type { Write } from './write-queue.ts'
import { WriteQueue } from './write-queue.ts'

/** A queue with counted commits that can fail. */
function createQueue(schedule: () => void = () => {}): {
  queue: WriteQueue
  sizes: number[]
  failWith: (error: Error | undefined) => void
} {
  const sizes: number[] = []
  let revision = 1
  let failure: Error | undefined
  const commit = (writes: readonly Write[]): (StoreChange | WriteConflict)[] => {
    sizes.push(writes.length)
    if (failure) throw failure
    return writes.map(({ key, value, expected }) =>
      expected === 0 ? { revision: ++revision, key, value } : new WriteConflict(key, undefined),
    )
  }
  const queue = new WriteQueue({ commit, schedule, log: silentLogger })
  return { queue, sizes, failWith: (error) => (failure = error) }
}

describe('the write queue', () => {
  it('puts all pending writes into one commit', async () => {
    const { queue, sizes } = createQueue()
    const writes = ['/a', '/b', '/c'].map((key) => queue.add({ key, value: '1', expected: 0 }))
    expect(sizes).toEqual([])
    queue.commitWaiting()
    expect((await Promise.all(writes)).map(({ revision }) => revision)).toEqual([2, 3, 4])
    expect(sizes).toEqual([3])
    queue.commitWaiting()
    expect(sizes).toEqual([3])
  })

  it('commits at most 500 writes at once, and schedules another commit', async () => {
    let requested = 0
    const { queue, sizes } = createQueue(() => requested++)
    const writes = Array.from({ length: 501 }, (_, i) =>
      queue.add({ key: `/${i}`, value: '1', expected: 0 }),
    )
    expect(requested).toBe(1)
    queue.commitWaiting()
    expect(requested).toBe(2)
    queue.commitWaiting()
    await Promise.all(writes)
    expect(sizes).toEqual([500, 1])
  })

  it('fails all writes of a failed commit, and continues', async () => {
    const { queue, failWith } = createQueue()
    failWith(new Error('disk full'))
    const lost = [0, 1].map(() => queue.add({ key: '/a', value: '1', expected: 0 }))
    queue.commitWaiting()
    const outcomes = await Promise.allSettled(lost)
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    failWith(undefined)
    const next = queue.add({ key: '/a', value: '1', expected: 0 })
    queue.commitWaiting()
    expect((await next).revision).toBe(2)
  })

  it('commits writes of many sockets together', async () => {
    const turn = new NextTurn(() => queue.commitWaiting())
    const { queue, sizes } = createQueue(() => turn.ask())
    let written = 0
    const server = createServer((socket) => {
      socket.on('data', () => {
        void queue.add({ key: '/a', value: '1', expected: 0 }).then(() => written++)
      })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const sockets = Array.from({ length: 20 }, () => connect(port, '127.0.0.1'))
    await Promise.all(sockets.map((socket) => once(socket, 'connect')))
    // Connections are accepted one by one; after that, all readable data is read in one turn.
    for (const socket of sockets) socket.write('x')
    await until('all have written once', () => written === 20)
    sizes.length = 0
    for (const socket of sockets) socket.write('x')
    await until('all have written twice', () => written === 40)
    expect(Math.max(...sizes)).toBeGreaterThan(1)
    for (const socket of sockets) socket.destroy()
    server.close()
    turn.close()
  })
})
