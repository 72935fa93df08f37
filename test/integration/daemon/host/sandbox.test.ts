import * as fs from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { VirtualClock } from '@machinist/core/virtual-clock'
import type { Sandbox } from '../../../../src/daemon/host/sandbox/sandbox.ts'
import { openSandbox } from '../../../../src/daemon/host/sandbox/sandbox.ts'
import { hostContract } from './host-contract.ts'
import { sandboxSubject } from './subjects.ts'
import { unitsContract } from './units-contract.ts'

hostContract('a sandbox', () => sandboxSubject(false))

describe('units of a sandbox without systemctl', () => {
  unitsContract(() => sandboxSubject(true))
})

describe('a sandbox', () => {
  let root: string
  const clock = new VirtualClock()
  const open = (): Promise<Sandbox> => openSandbox({ root, clock, plainLinks: true })
  beforeEach(async () => {
    root = join(await fs.mkdtemp(join(tmpdir(), 'machinist-sandbox-')), 'new')
  })
  afterEach(() => fs.rm(join(root, '..'), { recursive: true, force: true }))

  it('has the files of a machine', async () => {
    await open()
    expect(await fs.readFile(join(root, 'etc/os-release'), 'utf8')).toContain('VARIANT_ID=coreos')
    expect(await fs.readFile(join(root, 'etc/passwd'), 'utf8')).toContain('core:x:1000:1000:')
    expect(await fs.readFile(join(root, 'proc/cmdline'), 'utf8')).toContain('console=ttyS0')
    const units = await fs.readdir(join(root, 'usr/lib/systemd/system'))
    expect(units).toEqual(expect.arrayContaining(['crio.service', 'kubelet.service']))
  })

  it('keeps existing files, and is seeded only once', async () => {
    await fs.mkdir(join(root, 'etc'), { recursive: true })
    await fs.writeFile(join(root, 'etc/os-release'), 'ID="rhel coreos"\nVERSION_ID=9.4\n')
    const sandbox = await open()
    expect(await sandbox.os.facts()).toMatchObject({
      id: 'rhel coreos',
      versionId: '9.4',
      variantId: '',
    })
    await sandbox.files.remove('/usr/lib/systemd/system/sshd.service')
    const bootId = await sandbox.power.bootId()
    const again = await open()
    expect(await again.files.stat('/usr/lib/systemd/system/sshd.service')).toBeUndefined()
    expect(await again.power.bootId()).toBe(bootId)
  })

  it('is completed by the next opening if the seed was interrupted', async () => {
    const sandbox = await open()
    await sandbox.files.remove('/var/lib/machinist-sandbox/deployments.json')
    await sandbox.files.remove('/etc/shadow')
    const again = await open()
    expect(await again.accounts.passwordHash('core')).toBe('*')
    expect((await again.os.state()).booted.kernelType).toBe('default')
  })

  it('logs requested actions', async () => {
    const sandbox = await open()
    await sandbox.units.daemonReload()
    await clock.advance(1000)
    await sandbox.units.restart('crio.service')
    await sandbox.power.reboot('Node will reboot\ninto config b')
    const log = await fs.readFile(join(root, 'var/log/machinist-sandbox.log'), 'utf8')
    expect(log.split('\n')).toEqual([
      '2026-01-01T00:00:00.000Z daemon-reload',
      '2026-01-01T00:00:01.000Z restart crio.service',
      '2026-01-01T00:00:01.000Z reboot: Node will reboot into config b',
      '',
    ])
  })

  it('boots when it is opened after a requested reboot, with the staged kernel arguments', async () => {
    const sandbox = await open()
    const { booted } = await sandbox.os.state()
    await sandbox.os.stage({ ...booted, kernelArguments: ['quiet', 'nosmt'] })
    await sandbox.power.reboot('new kernel arguments')
    expect(await sandbox.power.down).toBe('new kernel arguments')
    const rebooted = await open()
    expect(await fs.readFile(join(root, 'proc/cmdline'), 'utf8')).toBe('quiet nosmt\n')
    expect(await rebooted.power.isDown()).toBe(false)
  })

  it('has unhealthy units on request', async () => {
    const sandbox = await open()
    expect(await sandbox.units.isHealthy('crio.service')).toBe(true)
    await sandbox.units.setHealth('crio.service', false)
    await sandbox.units.restart('crio.service')
    expect(await sandbox.units.isHealthy('crio.service')).toBe(false)
    await sandbox.units.setHealth('crio.service', true)
    expect(await sandbox.units.isHealthy('crio.service')).toBe(true)
  })
})
