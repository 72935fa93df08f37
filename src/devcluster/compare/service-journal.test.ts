import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { openSandbox, sandboxLog } from '../../daemon/host/sandbox/sandbox.ts'
import { serviceActions } from './service-journal.ts'

const root = mkdtempSync(join(tmpdir(), 'machinist-journal-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

describe('the journal of services', () => {
  it('is counted in the format of a sandbox', async () => {
    const clock = new VirtualClock()
    const machine = await openSandbox({ root, clock, plainLinks: true })
    await machine.units.daemonReload()
    await machine.units.daemonReload()
    await machine.units.restart('crio.service')
    await machine.units.reload('crio.service')
    await machine.power.reboot('because\nof this: daemon-reload')
    await openSandbox({ root, clock, plainLinks: true })
    const journal = readFileSync(join(root, sandboxLog), 'utf8')
    expect(journal).toMatch(/ boot \S+\n$/)
    expect(serviceActions(journal)).toEqual({
      daemonReloads: 2,
      services: ['restart crio.service', 'reload crio.service'],
      reboots: 1,
    })
  })

  it('can be empty', () => {
    expect(serviceActions('')).toEqual({ daemonReloads: 0, services: [], reboots: 0 })
  })
})
