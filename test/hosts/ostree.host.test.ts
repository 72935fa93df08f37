import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Host, OsDeployment } from '../../src/daemon/host/host.ts'
import { failureOf } from '../../src/daemon/host/linux/failure.fixture.ts'
import { describeOnMachines } from './host-tools.ts'
import { Machine } from './machine.ts'
import { ostreeBoot } from './ostree-boot.ts'

const first: OsDeployment = {
  image: 'os/v1',
  kernelArguments: ['root=LABEL=root', 'rw', 'console=tty0', 'console=ttyS0'],
  kernelType: 'default',
  extensions: [],
}

describeOnMachines('an ostree OS', (tools) => {
  let machine: Machine
  let host: Host

  beforeAll(async () => {
    machine = await Machine.start((directory) => ostreeBoot(tools, directory))
    host = machine.host()
  })

  afterAll(() => machine?.stop())

  const reboot = async (): Promise<void> => {
    const back = machine.comesBack()
    await host.power.reboot('test')
    await back
    host = machine.host()
  }

  const text = async (path: string): Promise<string> =>
    Buffer.from(await host.files.read(path)).toString()

  it('reports the booted deployment', async () => {
    expect(await host.os.facts()).toMatchObject({ id: 'debian', changes: { driver: 'ostree' } })
    expect(await host.os.state()).toEqual({ booted: first })
    expect(await text('/usr/lib/image-version')).toBe('1\n')
  })

  const second: OsDeployment = {
    ...first,
    image: 'os/v2',
    kernelArguments:
      'root=LABEL=root rw console=ttyS0 nosmt console=tty0 hugepagesz=1G hugepages=4 hugepagesz=2M hugepages=4'.split(
        ' ',
      ),
  }

  it('stages another image, with its kernel arguments in order', async () => {
    await host.os.stage(second)
    expect(await host.os.state()).toEqual({ booted: first, staged: second })
    expect(await machine.run('ostree', 'admin', 'status')).toContain('(staged)')
  })

  it('replaces the staged deployment, and drops it when the booted one is requested', async () => {
    const third = { ...second, kernelArguments: [...first.kernelArguments, 'quiet'] }
    await host.os.stage(third)
    expect(await host.os.state()).toEqual({ booted: first, staged: third })
    await host.os.stage(first)
    expect(await host.os.state()).toEqual({ booted: first })
    expect(await machine.run('ostree', 'admin', 'status')).not.toContain('(staged)')
  })

  it('stages kernel arguments alone', async () => {
    const more = { ...first, kernelArguments: [...first.kernelArguments, 'nosmt=force'] }
    await host.os.stage(more)
    expect(await host.os.state()).toEqual({ booted: first, staged: more })
  })

  it('stays unchanged when a change is not possible', async () => {
    const before = await host.os.state()
    expect(await failureOf(host.os.stage({ ...first, image: 'os/v9' }))).toEqual({
      code: 'exit 1',
      message: expect.stringMatching(
        /^ostree admin deploy --stage --os=debian .* failed \(exit 1\): error: Refspec 'os\/v9' not found$/,
      ),
    })
    expect(await failureOf(host.os.stage({ ...first, kernelType: 'realtime' }))).toEqual({
      code: 'ENOTSUP',
      message:
        'cannot change kernel "default" instead of "realtime": with plain ostree they are part of the image',
    })
    expect(await host.os.state()).toEqual(before)
  })

  it('boots the staged deployment, with files that were written to /etc in between', async () => {
    await host.os.stage(second)
    const content = Buffer.from('mine\n')
    await host.files.write('/etc/mine.conf', { content, mode: 0o600, uid: 0, gid: 0 })
    await reboot()
    expect(await host.os.state()).toEqual({ booted: second })
    expect(await text('/usr/lib/image-version')).toBe('2\n')
    expect(await text('/etc/vendor.conf')).toBe('version 2\n')
    expect(await text('/etc/mine.conf')).toBe('mine\n')
    const cmdline = (await text('/proc/cmdline')).trim().split(' ')
    expect(cmdline.filter((word) => !word.startsWith('ostree='))).toEqual(second.kernelArguments)
  })

  it('reports why the staged deployment did not boot', async () => {
    expect(await host.os.bootReport()).toEqual({ foreignPackages: [] })
    // A persistent journal, and a service that fails during shutdown.
    const failing =
      "[Service]\\nExecStop=\\nExecStop=/bin/sh -c 'echo error: no room on /boot >&2; exit 1'\\n"
    const directory = '/run/systemd/system/ostree-finalize-staged.service.d'
    const steps = [
      'mkdir -p /var/log/journal',
      'systemctl restart systemd-journald',
      'journalctl --flush',
      `mkdir -p ${directory}`,
      `printf "${failing}" > ${directory}/fails.conf`,
      'systemctl daemon-reload',
      'systemctl restart ostree-finalize-staged.service || true',
      'systemctl start ostree-finalize-staged.service',
    ]
    await machine.run('sh', '-ec', steps.join('\n'))
    await host.os.stage(first)
    await reboot()
    expect(await host.os.state()).toEqual({ booted: second })
    expect(await host.os.bootReport()).toEqual({
      finalizationFailure: 'error: no room on /boot',
      foreignPackages: [],
    })
  })

  it('returns to exactly the first deployment', async () => {
    await host.os.stage(first)
    await reboot()
    expect(await host.os.state()).toEqual({ booted: first })
    expect(await text('/usr/lib/image-version')).toBe('1\n')
    expect(await text('/etc/vendor.conf')).toBe('version 1\n')
    expect(await text('/etc/mine.conf')).toBe('mine\n')
  })
})
