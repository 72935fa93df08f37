import { describe, expect, it } from 'vitest'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { MemoryHost } from '../host/memory/memory-host.ts'
import { act, undoing } from './actions.ts'
import { Parked } from './parked.ts'

const never = new AbortController().signal
const restart = { do: 'restart', service: 'crio.service' } as const
const reload = { do: 'reload', service: 'crio.service' } as const

describe('an action', () => {
  it.each([
    [{ do: 'daemon-reload' } as const, { do: 'daemon-reload' }],
    [restart, { do: 'restart', unit: 'crio.service' }],
    [reload, { do: 'reload', unit: 'crio.service' }],
  ])('%o is taken', async (step, taken) => {
    const host = new MemoryHost()
    await act(host, step, new VirtualClock(), never)
    expect(host.actions).toEqual([taken])
  })

  it('waits until the service is well', async () => {
    const [host, clock] = [new MemoryHost(), new VirtualClock()]
    await host.units.setHealth('crio.service', false)
    const done = act(host, restart, clock, never).then(() => 'well')
    await clock.advance(5000)
    await host.units.setHealth('crio.service', true)
    await clock.advance(1000)
    expect(await done).toBe('well')
  })

  it('names the service that does not come back', async () => {
    const [host, clock] = [new MemoryHost(), new VirtualClock()]
    await host.units.setHealth('crio.service', false)
    const failure = act(host, restart, clock, never).catch((error: Error) => error.message)
    await clock.advance(31_000)
    expect(await failure).toBe('crio.service does not run 30 s after its restart')
  })

  it('stops waiting when it is told to', async () => {
    const [host, clock, stop] = [new MemoryHost(), new VirtualClock(), new AbortController()]
    await host.units.setHealth('crio.service', false)
    const failure = act(host, restart, clock, stop.signal).catch((error: unknown) => error)
    await clock.advance(2000)
    stop.abort()
    expect(await failure).toBeInstanceOf(Parked)
  })
})

describe('what undoes actions', () => {
  it('tells every service once, after systemd, and restarts what was restarted', () => {
    const other = { do: 'reload', service: 'sshd.service' } as const
    expect(undoing([reload, restart, reload, other])).toEqual([
      { do: 'daemon-reload' },
      restart,
      other,
    ])
    expect(undoing([{ do: 'daemon-reload' }])).toEqual([{ do: 'daemon-reload' }])
  })
})
