import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { nodeAnnotations } from '../../../src/api/annotations.ts'
import type { MachineConfig } from '../../../src/api/resources.ts'
import { machineConfigs } from '../../../src/api/resources.ts'
import { nodes } from '../../../src/kube/kinds/core.ts'
import { mergePatch } from '../../../src/kube/patch.ts'
import { until } from '../../support/until.ts'
import type { Api } from '../cluster/api.ts'
import { startApi } from '../cluster/api.ts'
import { config } from '../follow/facts.ts'
import { describeOnMachines } from './host-tools.ts'
import { Machine } from './machine.ts'
import { ostreeBoot } from './ostree-boot.ts'

/** The whole: our daemon as a service of a real systemd on a real ostree, through the reboots that it asks for. */
describeOnMachines('the daemon on a real machine', (tools) => {
  let api: Api
  let machine: Machine

  beforeAll(async () => {
    api = await startApi()
    machine = await Machine.start(async (directory) => ({
      ...(await ostreeBoot(tools, directory)),
      shared: true,
    }))
    await install()
    void keptOn()
  })

  afterAll(async () => {
    await machine?.stop()
    await api?.stop()
  })

  /** Switches it on again whenever it goes down by itself, until it is stopped. */
  const keptOn = async (): Promise<void> => {
    try {
      for (;;) await machine.comesBack()
    } catch {
      // The test is over; or it fails, because the machine does not come back.
    }
  }

  const install = async (): Promise<void> => {
    const { files, units } = machine.host()
    const put = (path: string, text: string): Promise<void> =>
      files.write(path, { content: Buffer.from(text), mode: 0o600, uid: 0, gid: 0 })
    await put('/etc/daemon.kubeconfig', readFileSync(api.kubeconfig, 'utf8'))
    const program = '/opt/node /opt/machinist/src/cli/main.ts daemon'
    const options = '--node machine --kubeconfig /etc/daemon.kubeconfig --rules 4.16'
    const lines = ['[Service]', `ExecStart=${program} ${options}`, 'Restart=always', 'RestartSec=1']
    const install = ['[Install]', 'WantedBy=multi-user.target', '']
    await put('/etc/systemd/system/machinist.service', [...lines, ...install].join('\n'))
    await units.enable(['machinist.service'])
    await units.daemonReload()
  }

  const on = (image: string, kernelArguments: string[], made: MachineConfig): MachineConfig => ({
    ...made,
    spec: { ...made.spec, osImageURL: image, kernelArguments },
  })

  const desire = async (name: string): Promise<void> => {
    const annotations = { [nodeAnnotations.desiredConfig]: name }
    await api.client.patch(nodes, { name: 'machine' }, mergePatch({ metadata: { annotations } }))
  }

  const said = async (): Promise<Record<string, string>> =>
    (await api.client.get(nodes, { name: 'machine' })).metadata.annotations ?? {}

  const done = (name: string): Promise<void> =>
    until(`the node is Done with ${name}`, async () => {
      const now = await said()
      const reason = now[nodeAnnotations.reason]
      if (now[nodeAnnotations.state] === 'Degraded') throw new Error(`Degraded: ${reason}`)
      return now[nodeAnnotations.currentConfig] === name && now[nodeAnnotations.state] === 'Done'
    })

  it('brings an image, kernel arguments and files, and takes them back', async () => {
    await api.client.create(machineConfigs, on('os/v1', [], config('first', { '/etc/a': 'one' })))
    await api.client.create(
      machineConfigs,
      on('os/v2', ['nosmt'], config('second', { '/etc/a': 'two', '/etc/b': 'new' })),
    )
    const annotations = {
      [nodeAnnotations.desiredConfig]: 'first',
      [nodeAnnotations.controlPlaneTopology]: 'SingleReplica',
    }
    await api.client.create(nodes, { metadata: { name: 'machine', annotations } })
    await machine.host().units.restart('machinist.service')
    await done('first')
    const { booted: before } = await machine.host().os.state()
    const bootId = await machine.host().power.bootId()
    expect(before.image).toBe('os/v1')

    await desire('second')
    await done('second')
    const host = machine.host()
    expect(await host.power.bootId()).not.toBe(bootId)
    const { booted } = await host.os.state()
    expect(booted.image).toBe('os/v2')
    expect(booted.kernelArguments).toEqual([...before.kernelArguments, 'nosmt'])
    expect(Buffer.from(await host.files.read('/etc/a')).toString()).toBe('two')
    expect(Buffer.from(await host.files.read('/etc/b')).toString()).toBe('new')
    const who = '--identifier=machine-config-daemon'
    const journal = await machine.run('journalctl', '--boot=-1', who, '--output=cat')
    expect(journal).toContain('Rebooting: ')

    await desire('first')
    await done('first')
    const back = machine.host()
    expect(await back.os.state()).toEqual({ booted: before })
    expect(Buffer.from(await back.files.read('/etc/a')).toString()).toBe('one')
    expect(await back.files.look('/etc/b')).toBeUndefined()
  })
})
