import { afterAll, beforeAll, expect, it } from 'vitest'
import { until } from '@machinist/testing/until'
import type { Host } from '../../src/daemon/host/host.ts'
import { failureOf } from '../../src/daemon/host/linux/failure.fixture.ts'
import { describeOnMachines } from './host-tools.ts'
import { Machine } from './machine.ts'

describeOnMachines('the units of a running systemd', (tools) => {
  let machine: Machine
  let host: Host

  beforeAll(async () => {
    machine = await Machine.start(async (directory) => ({
      lower: `${tools}/root`,
      options: [`--directory=${directory}/root`],
    }))
    host = machine.host()
  })

  afterAll(() => machine?.stop())

  const write = (path: string, content: string): Promise<void> =>
    host.files.write(path, { content: Buffer.from(content), mode: 0o644, uid: 0, gid: 0 })

  const service = (name: string, lines: string): Promise<void> =>
    write(
      `/etc/systemd/system/${name}`,
      `[Service]\n${lines}\n[Install]\nWantedBy=multi-user.target\n`,
    )

  it('read new files, and run the new units', async () => {
    await service('one.service', 'ExecStart=/bin/sleep 1000')
    expect(await host.units.isHealthy('one.service')).toBe(false)
    await host.units.daemonReload()
    await host.units.restart('one.service')
    expect(await host.units.isHealthy('one.service')).toBe(true)
    expect(await machine.run('systemctl', 'is-active', 'one.service')).toBe('active')
    await service('one.service', 'ExecStart=/bin/sleep 2000')
    await host.units.daemonReload()
    await host.units.restart('one.service')
    expect(await machine.run('systemctl', 'show', '--property=ExecStart', 'one.service')).toContain(
      'argv[]=/bin/sleep 2000',
    )
  })

  it('identify each start of a service, also after a crash', async () => {
    await service('starts.service', 'ExecStart=/bin/sleep 1000\nRestart=always\nRestartSec=0')
    await host.units.daemonReload()
    expect(await host.units.lastStart('starts.service')).toBe(undefined)
    expect(await host.units.lastStart('nowhere.service')).toBe(undefined)
    await host.units.restart('starts.service')
    const seen = new Set([await host.units.lastStart('starts.service')])
    expect(await host.units.lastStart('starts.service')).toBe([...seen][0])
    await machine.run('systemctl', 'restart', 'starts.service')
    seen.add(await host.units.lastStart('starts.service'))
    await machine.run('systemctl', 'kill', '--signal=KILL', 'starts.service')
    await until('the service is started again', async () => {
      seen.add(await host.units.lastStart('starts.service'))
      return seen.size === 3
    })
    expect([...seen]).toEqual([...seen].map(() => expect.stringMatching(/^\d+$/)))
  })

  it('reload a service, and fail if it cannot be reloaded', async () => {
    await service(
      'rereads.service',
      'ExecStart=/bin/sleep 1000\nExecReload=/bin/touch /run/has-been-reloaded',
    )
    await service('stubborn.service', 'ExecStart=/bin/sleep 1000')
    await host.units.daemonReload()
    await host.units.restart('rereads.service')
    await host.units.restart('stubborn.service')
    await host.units.reload('rereads.service')
    expect(await host.files.stat('/run/has-been-reloaded')).toMatchObject({ type: 'file' })
    expect(await failureOf(host.units.reload('stubborn.service'))).toEqual({
      code: 'exit 3',
      message:
        'systemctl reload -- stubborn.service failed (exit 3): Failed to reload stubborn.service: Job type reload is not applicable for unit stubborn.service.',
    })
  })

  it('are unhealthy if a service does not start, and if it fails later', async () => {
    await service('broken.service', 'Type=oneshot\nExecStart=/bin/false')
    await service('falls.service', 'ExecStart=/bin/sh -c "exit 3"')
    await host.units.daemonReload()
    expect(await failureOf(host.units.restart('broken.service'))).toMatchObject({ code: 'exit 1' })
    expect(await host.units.isHealthy('broken.service')).toBe(false)
    await host.units.restart('falls.service')
    await expect
      .poll(() =>
        machine.run('systemctl', 'show', '--property=ActiveState', '--value', 'falls.service'),
      )
      .toBe('failed')
    expect(await host.units.isHealthy('falls.service')).toBe(false)
  })

  it('are healthy if a oneshot succeeded, or if a condition is not met', async () => {
    await service('work.service', 'Type=oneshot\nExecStart=/bin/true')
    await service(
      'elsewhere.service',
      'ExecStart=/bin/sleep 1000\n[Unit]\nConditionPathExists=/no/such/file',
    )
    // systemd unloads a unit without references as soon as it ends.
    await host.units.enable(['elsewhere.service'])
    await host.units.daemonReload()
    await host.units.restart('work.service')
    expect(await host.units.isHealthy('work.service')).toBe(true)
    expect(await host.units.isHealthy('elsewhere.service')).toBe(false)
    await host.units.restart('elsewhere.service')
    expect(await host.units.isHealthy('elsewhere.service')).toBe(true)
  })

  it('report units that do not exist', async () => {
    expect(await host.units.isHealthy('nothing.service')).toBe(false)
    expect(await host.units.enablement('nothing.service')).toBe('not-found')
    expect(await failureOf(host.units.restart('nothing.service'))).toEqual({
      code: 'exit 5',
      message:
        'systemctl restart -- nothing.service failed (exit 5): Failed to restart nothing.service: Unit nothing.service not found.',
    })
  })

  it('are enabled on disk only, and systemd starts them at the next boot', async () => {
    await service('later.service', 'ExecStart=/bin/sleep 1000')
    await host.units.enable(['later.service'])
    expect(await host.units.enablement('later.service')).toBe('enabled')
    expect(await host.units.isHealthy('later.service')).toBe(false)
    await machine.run('systemctl', 'reboot')
    await machine.comesBack()
    host = machine.host()
    expect(await host.units.isHealthy('later.service')).toBe(true)
  })
})
