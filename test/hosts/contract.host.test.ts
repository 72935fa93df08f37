import { afterAll, describe, expect, it } from 'vitest'
import { hostContract } from '../integration/daemon/host/host-contract.ts'
import type { Subject } from '../integration/daemon/host/subject.ts'
import { describeOnMachines } from './host-tools.ts'
import { Machine } from './machine.ts'

const program = '/opt/machinist/test/hosts/rpm-ostree-program.ts'

/**
 * The contract of all hosts, on a real systemd. rpm-ostree is the simulator, as a program, because this system has
 * none. One machine serves all tests, and is cleaned up in between.
 */
describeOnMachines('the linux driver', (tools) => {
  let machine: Promise<Machine> | undefined

  afterAll(async () => (await machine)?.stop())

  const start = (): Promise<Machine> =>
    Machine.start(async (directory) => ({
      lower: `${tools}/root`,
      options: [`--directory=${directory}/root`],
      afterwards: async (up) => {
        await up.run('touch', '/run/ostree-booted')
      },
    }))

  const open = async (): Promise<Subject> => {
    machine ??= start()
    const up = await machine
    await up.run('sh', '-c', tidy)
    return {
      host: up.host(),
      async reboot() {
        await up.comesBack()
        return up.host()
      },
      async addPipe(path) {
        await up.run('mkfifo', path)
      },
      async addLink(path, target, owner) {
        await up.run('ln', '-s', target, path)
        await up.run('chown', '-h', `${owner}:${owner}`, path)
      },
      close: () => Promise.resolve(),
    }
  }

  hostContract('a real machine', open)

  describe('the machine of the contract', () => {
    it('runs a booted systemd', async () => {
      const up = await (machine ??= start())
      expect(await up.run('cat', '/proc/1/comm')).toBe('systemd')
    })
  })
})

/** No enabled units, no staged deployment, a service that can be reloaded, and a shadow file as on CoreOS. */
const tidy = `
set -e
rm -rf /t /opt/linked.service /etc/systemd/system /etc/systemd/system-preset /etc/kept /etc/x
rm -rf /usr/lib/systemd/system-preset /var/lib/rpm-ostree-simulator
mkdir -p /etc/systemd/system /usr/lib/systemd/system-preset /run/systemd/system
echo 'disable *' > /usr/lib/systemd/system-preset/99-default.preset
for unit in vendor many odd t@ taker static also alias; do rm -f /usr/lib/systemd/system/$unit.service; done
printf '[Service]\\nExecStart=/bin/sleep 10000\\nExecReload=/bin/true\\n' > /run/systemd/system/crio.service
systemctl daemon-reload
systemctl start crio.service
printf '#!/bin/sh\\nexec /opt/node ${program} "$@"\\n' > /usr/bin/rpm-ostree
chmod 755 /usr/bin/rpm-ostree
chown root:root /etc/shadow
chmod 600 /etc/shadow
`
