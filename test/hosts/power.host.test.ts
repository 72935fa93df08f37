import { afterAll, beforeAll, expect, it } from 'vitest'
import { until } from '@machinist/testing/until'
import { describeOnMachines } from './host-tools.ts'
import { Machine } from './machine.ts'

describeOnMachines('a reboot', (tools) => {
  let machine: Machine

  beforeAll(async () => {
    machine = await Machine.start(async (directory) => ({
      lower: `${tools}/root`,
      options: [`--directory=${directory}/root`],
    }))
  })

  afterAll(() => machine?.stop())

  it('changes the boot id, and leaves its reason in the journal', async () => {
    const before = await machine.host().power.bootId()
    expect(before).toMatch(/^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/)
    const down = machine.comesBack()
    await machine.host().power.reboot('kernelArguments changed:\n100% of "nosmt" in 50-mine $HOME')
    await down
    expect(await machine.host().power.bootId()).not.toBe(before)
    const journal = await machine.run('journalctl', '--boot=-1', '--output=cat', '--no-pager')
    expect(journal.split('\n')).toContain(
      'Rebooting: kernelArguments changed: 100% of "nosmt" in 50-mine $HOME',
    )
    expect(journal).toMatch(
      /Started machine-config-daemon-reboot-\d+\.service - machine-config-daemon: kernelArguments changed: 100% of "nosmt" in 50-mine \$HOME\./,
    )
  })

  it('works after an earlier request that never completed', async () => {
    const stuck = ['--unit=machine-config-daemon-reboot', '/bin/sleep', '1000']
    await machine.run('systemd-run', ...stuck)
    const before = await machine.host().power.bootId()
    const down = machine.comesBack()
    await machine.host().power.reboot('again')
    await down
    expect(await machine.host().power.bootId()).not.toBe(before)
  })

  it('restarts the program on the machine that requested it', async () => {
    const { files, units } = machine.host()
    const content = Buffer.from(
      [
        '[Service]',
        'ExecStart=/opt/node /opt/machinist/test/hosts/reboots-once.ts',
        'Environment=NODE_OPTIONS=',
        '[Install]',
        'WantedBy=multi-user.target',
        '',
      ].join('\n'),
    )
    const path = '/etc/systemd/system/reboots-once.service'
    await files.write(path, { content, mode: 0o644, uid: 0, gid: 0 })
    await units.enable(['reboots-once.service'])
    await units.daemonReload()
    const first = await machine.host().power.bootId()
    const down = machine.comesBack()
    await units.restart('reboots-once.service')
    await down
    const second = await machine.host().power.bootId()
    const boots = async (): Promise<string[]> => {
      const text = await machine.host().files.read('/var/lib/reboots-once')
      return Buffer.from(text).toString().trim().split('\n')
    }
    await until('the second boot is recorded', async () => (await boots()).length === 2)
    expect(await boots()).toEqual([first, second])
    expect(second).not.toBe(first)
    expect(await machine.host().units.isHealthy('reboots-once.service')).toBe(true)
  })
})
