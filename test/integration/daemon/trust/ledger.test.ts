import { describe, expect, it } from 'vitest'
import { silentLogger } from '@machinist/core/log'
import { seededRandom } from '@machinist/core/random'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { nodePaths } from '../../../../src/api/node-paths.ts'
import type { HostFiles } from '../../../../src/daemon/host/host.ts'
import { MemoryHost } from '../../../../src/daemon/host/memory/memory-host.ts'
import { Ledger } from '../../../../src/daemon/trust/items/ledger.ts'
import { TrustWatch } from '../../../../src/daemon/trust/trust-watch.ts'
import { faultyHost, Faults } from '../../../../src/daemon/host/faults.fixture.ts'

const open = (files: HostFiles): Promise<Ledger> => Ledger.open(files, silentLogger)

describe('the ledger on disk', () => {
  it('stores owned files, the delivery and the notes of handlers', async () => {
    const { files } = new MemoryHost()
    const first = await open(files)
    first.setDelivery('rendered')
    await first.claim(['/a'])
    first.recordWrite('/b', '2026-01-01T00:00:00Z')
    first.adopt('/c')
    first.setRegistries({ host: 'digest' })
    await first.notes<{ x: number }>('api-server-ca').write({ x: 1 })
    const second = await open(files)
    expect(second.owned().toSorted()).toEqual(['/a', '/b', '/c'])
    expect([second.delivery, second.registries]).toEqual(['rendered', { host: 'digest' }])
    expect([second.writtenAt('/a'), second.writtenAt('/b')]).toEqual([
      undefined,
      '2026-01-01T00:00:00Z',
    ])
    expect(second.notes('api-server-ca').read()).toEqual({ x: 1 })
    second.disown('/b')
    await second.save()
    expect((await open(files)).owns('/b')).toBe(false)
  })

  it('is written only when it changes', async () => {
    const faults = new Faults({ at: 0, fail: '', only: (name) => name.startsWith('files.write') })
    const { files } = faultyHost(new MemoryHost(), faults, ['files'])
    const ledger = await open(files)
    await ledger.claim(['/a'])
    await ledger.claim(['/a'])
    await ledger.save()
    ledger.setDelivery('direct')
    await ledger.save()
    await ledger.save()
    expect(faults.count).toBe(2)
  })

  it('is not overwritten while it cannot be read, and keeps what was added meanwhile', async () => {
    const machine = new MemoryHost()
    await (await open(machine.files)).claim(['/before'])
    const reads = (name: string): boolean => name === `files.read ${nodePaths.trust}`
    const faults = new Faults({ at: 1, fail: 'EIO', only: reads })
    const ledger = await open(faultyHost(machine, faults, ['files']).files)
    expect(ledger.isUnread).toBe(true)
    await ledger.claim(['/meanwhile'])
    expect((await open(machine.files)).owned()).toEqual(['/before'])
    expect(await ledger.read()).toBe(true)
    await ledger.save()
    expect((await open(machine.files)).owned().toSorted()).toEqual(['/before', '/meanwhile'])
  })

  it('starts empty after a few failed reads', async () => {
    const machine = new MemoryHost()
    await (await open(machine.files)).claim(['/before'])
    const reads = (name: string): boolean => name === `files.read ${nodePaths.trust}`
    const faults = new Faults({ at: 1, fail: 'EIO', always: true, only: reads })
    const ledger = await open(faultyHost(machine, faults, ['files']).files)
    for (let i = 0; i < 10; i++) await ledger.read()
    expect([ledger.isUnread, faults.count]).toEqual([false, 5])
    await ledger.claim(['/after'])
    expect((await open(machine.files)).owned()).toEqual(['/after'])
  })
})

describe('the watch of the trust lane', () => {
  it('reports simultaneous changes once, and all paths about once an hour', async () => {
    const { files } = new MemoryHost()
    const clock = new VirtualClock()
    const reported: (readonly string[] | 'any')[] = []
    const random = seededRandom(1)
    const watch = new TrustWatch({ files, clock, random })
    const close = watch.subscribe((paths) => reported.push(paths))
    const file = { content: Buffer.from('x'), mode: 0o644, uid: 0, gid: 0 }
    watch.arm(['/etc/a', '/etc/b'])
    watch.arm(['/etc/a', '/etc/b'])
    await files.write('/etc/a', file)
    await files.write('/etc/b', file)
    await files.write('/etc/c', file)
    await clock.advance(1000)
    expect(reported).toEqual([['/etc/a', '/etc/b']])
    watch.arm(['/etc/c'])
    await files.write('/etc/a', file)
    await files.write('/etc/c', file)
    await clock.advance(1000)
    expect(reported.at(-1)).toEqual(['/etc/c'])
    await clock.advance(3_500_000)
    expect(reported).toHaveLength(2)
    await clock.advance(5_000_000)
    expect(reported.slice(2)).toEqual(['any', 'any'])
    close()
    await files.write('/etc/c', file)
    await clock.advance(10_000_000)
    expect(reported).toHaveLength(4)
  })

  it('reports changes of a writer that never stops', async () => {
    const { files } = new MemoryHost()
    const clock = new VirtualClock()
    let reported = 0
    const watch = new TrustWatch({ files, clock, random: seededRandom(1) })
    const close = watch.subscribe(() => reported++)
    watch.arm(['/etc/a'])
    for (let i = 0; i < 20; i++) {
      await files.write('/etc/a', { content: Buffer.from(`${i}`), mode: 0o644, uid: 0, gid: 0 })
      await clock.advance(50)
    }
    close()
    expect(reported).toBeGreaterThan(5)
  })
})
