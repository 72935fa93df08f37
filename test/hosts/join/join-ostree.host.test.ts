import { afterAll, beforeAll, expect, it } from 'vitest'
import { nodePaths } from '../../../src/api/node-paths.ts'
import { describeOnMachines } from '../host-tools.ts'
import { Machine } from '../machine.ts'
import { ostreeBoot, showArgumentsEarly } from '../ostree-boot.ts'
import { RealIgnition } from '../real-ignition.ts'
import { JoinCluster } from './join-cluster.ts'
import { beforeFirstBoot, daemonConfig, kubeletDropin } from './new-machine.ts'

/** A machine whose installer has another OS image than its config: real Ignition, systemd and ostree. */
describeOnMachines('a new machine with another OS image than its config', (tools) => {
  let cluster: JoinCluster
  let machine: Machine
  let config: string

  beforeAll(async () => {
    const ignition = await RealIgnition.find()
    cluster = await JoinCluster.start('127.77.0.3')
    const os = { osImageURL: 'os/v2', kernelArguments: ['nosmt', 'audit=1'] }
    const kubelet = { name: 'kubelet.service', dropins: [kubeletDropin] }
    config = await cluster.configure('worker', [daemonConfig(os, [kubelet])])
    const pointer = await cluster.pointer('worker', '--ignition-version=3.2.0')
    machine = await Machine.start(async (directory) => ({
      ...(await ostreeBoot(tools, directory, async (root, writable) => {
        beforeFirstBoot(root)
        await showArgumentsEarly(root)
        await ignition.provision(pointer, root, { mounts: { '/var': writable } })
      })),
      shared: true,
    }))
  })

  afterAll(async () => {
    await machine?.stop()
    await cluster?.stop()
  })

  it('reboots once, and joins with the OS of its config', async () => {
    await cluster.done('machine', config, () => machine.log())
    expect(machine.boots).toBe(2)
    const { booted } = await machine.host().os.state()
    expect(booted.image).toBe('os/v2')
    expect(booted.kernelArguments.slice(-2)).toEqual(['nosmt', 'audit=1'])
  })

  it('does not start its kubelet before that reboot', async () => {
    const journal = (boot: string, unit: string): Promise<string> =>
      machine.run('journalctl', `--boot=${boot}`, `--unit=${unit}`, '--output=cat')
    const firstBoot = 'machine-config-daemon-firstboot.service'
    expect(await journal('-1', firstBoot)).toContain('first boot: rebooting')
    expect(await journal('-1', 'kubelet.service')).not.toContain('Started')
    expect(await journal('0', firstBoot)).toContain('first boot: done')
    expect(await journal('0', 'kubelet.service')).toContain('Started')
  })

  it('has completed its first boot', async () => {
    const { files } = machine.host()
    expect(await files.stat(nodePaths.encapsulated)).toBeUndefined()
    expect(await files.stat(`${nodePaths.encapsulated}.bak`)).toBeDefined()
    expect(await files.list(nodePaths.journal)).toEqual([])
  })
})
