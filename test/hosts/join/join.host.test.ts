import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { until } from '@machinist/testing/until'
import { nodePaths } from '../../../src/api/node-paths.ts'
import { machineConfigPools } from '../../../src/api/kinds/resources.ts'
import { describeOnMachines } from '../host-tools.ts'
import { Machine } from '../machine.ts'
import { RealIgnition } from '../real-ignition.ts'
import { JoinCluster } from './join-cluster.ts'
import { daemonConfig, installedRoot } from './new-machine.ts'

/** The whole way of a machine into a cluster, with the real Ignition and a real systemd; only its kubelet is a stand-in. */
describeOnMachines('a new machine', (tools) => {
  let cluster: JoinCluster
  let machine: Machine
  let config: string

  beforeAll(async () => {
    const ignition = await RealIgnition.find()
    cluster = await JoinCluster.start('127.77.0.1')
    config = await cluster.configure('worker', [daemonConfig()])
    const pointer = await cluster.pointer('worker', '--ignition-version=3.2.0')
    machine = await Machine.start(async (directory) => {
      const root = join(directory, 'installed')
      if (!existsSync(root)) {
        installedRoot(tools, root)
        await ignition.provision(pointer, root)
      }
      return { lower: root, options: [`--directory=${directory}/root`], shared: true }
    })
  })

  afterAll(async () => {
    await machine?.stop()
    await cluster?.stop()
  })

  const show = (property: string, unit: string): Promise<string> =>
    machine.run('systemctl', 'show', '--value', `--property=${property}`, unit)

  it('joins the cluster, and is Done in the config of its pool', async () => {
    await cluster.done('machine', config, () => machine.log())
    const counts = async (): Promise<unknown> => {
      const { status } = await cluster.client.get(machineConfigPools, { name: 'worker' })
      return [status?.machineCount, status?.updatedMachineCount, status?.degradedMachineCount]
    }
    await until('the pool counts the node', async () => String(await counts()) === '1,1,0')
    expect(await counts()).toEqual([1, 1, 0])
  })

  it('completes its first boot before its kubelet starts, without a reboot', async () => {
    expect(machine.boots).toBe(1)
    expect(await show('Result', 'machine-config-daemon-firstboot.service')).toBe('success')
    const [completed, started] = await Promise.all([
      show('ExecMainExitTimestampMonotonic', 'machine-config-daemon-firstboot.service'),
      show('ExecMainStartTimestampMonotonic', 'kubelet.service'),
    ])
    expect(Number(completed)).toBeGreaterThan(0)
    expect(Number(started)).toBeGreaterThan(Number(completed))
    expect(await show('ConditionResult', 'machine-config-daemon-pull.service')).toBe('no')
  })

  it('has the files and units of its config', async () => {
    const { files } = machine.host()
    expect(await files.stat('/etc/hello')).toMatchObject({ mode: 0o640, uid: 0, gid: 1000 })
    expect(await machine.run('systemctl', 'is-active', 'own.service')).toBe('active')
    expect(await machine.run('systemctl', 'is-enabled', 'own.service')).toBe('enabled')
    for (const path of [nodePaths.served, nodePaths.bootstrapKubeconfig, nodePaths.currentConfig]) {
      expect(await files.stat(path)).toMatchObject({ type: 'file', mode: 0o600 })
    }
    expect(await machine.run('cat', nodePaths.firstBootEnvironment)).toBe(
      'IMAGE=registry.example/machinist-daemon:0.1.0',
    )
    for (const path of [nodePaths.encapsulated, nodePaths.nodeAnnotations]) {
      expect(await files.stat(path)).toBeUndefined()
    }
  })

  it('is the same after another boot', async () => {
    await machine.run('systemctl', 'reboot')
    await machine.comesBack()
    await until('the daemon finds the node in its config', async () => {
      const journal = await machine.run('journalctl', '--boot', '--unit=machinist-daemon')
      return journal.includes('"check":"node is in its config"')
    })
    expect(await show('ConditionResult', 'machine-config-daemon-firstboot.service')).toBe('no')
    expect(await machine.run('systemctl', 'is-active', 'kubelet.service')).toBe('active')
  })
})
