import { describe, expect, it } from 'vitest'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { MemoryHost } from '../../host/memory/memory-host.ts'
import { runAction, undoStepsFor } from './actions.ts'
import { Parked } from './parked.ts'

const never = new AbortController().signal
const restart = { do: 'restart', service: 'crio.service' } as const
const reload = { do: 'reload', service: 'crio.service' } as const

describe('an action', () => {
  it.each([
    [{ do: 'daemon-reload' } as const, { type: 'daemon-reload' }],
    [restart, { type: 'restart', unit: 'crio.service' }],
    [reload, { type: 'reload', unit: 'crio.service' }],
  ])('%o runs', async (step, action) => {
    const host = new MemoryHost()
    await runAction(host, step, new VirtualClock(), never)
    expect(host.actions).toEqual([action])
  })

  it('waits until the service is healthy', async () => {
    const [host, clock] = [new MemoryHost(), new VirtualClock()]
    await host.units.setHealth('crio.service', false)
    const done = runAction(host, restart, clock, never).then(() => 'healthy')
    await clock.advance(5000)
    await host.units.setHealth('crio.service', true)
    await clock.advance(1000)
    expect(await done).toBe('healthy')
  })

  it('fails with the name of a service that stays unhealthy', async () => {
    const [host, clock] = [new MemoryHost(), new VirtualClock()]
    await host.units.setHealth('crio.service', false)
    const failure = runAction(host, restart, clock, never).catch((error: Error) => error.message)
    await clock.advance(31_000)
    expect(await failure).toBe('crio.service is not healthy 30 s after its restart')
  })

  it('stops waiting when the signal aborts', async () => {
    const [host, clock, stop] = [new MemoryHost(), new VirtualClock(), new AbortController()]
    await host.units.setHealth('crio.service', false)
    const failure = runAction(host, restart, clock, stop.signal).catch((error: unknown) => error)
    await clock.advance(2000)
    stop.abort()
    expect(await failure).toBeInstanceOf(Parked)
  })
})

describe('the undo steps', () => {
  it('reload systemd, then each service once, and restart services that were restarted', () => {
    const other = { do: 'reload', service: 'sshd.service' } as const
    expect(undoStepsFor([reload, restart, reload, other])).toEqual([
      { do: 'daemon-reload' },
      restart,
      other,
    ])
    expect(undoStepsFor([{ do: 'daemon-reload' }])).toEqual([{ do: 'daemon-reload' }])
  })
})
