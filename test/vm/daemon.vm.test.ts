import { afterAll, beforeAll, expect, it } from 'vitest'
import { nodes } from '@machinist/kube/kinds/core'
import { coreEvents } from '@machinist/kube/kinds/events'
import { mergePatch } from '@machinist/kube/patch'
import { nodeAnnotations } from '../../src/api/annotations.ts'
import { machineConfigNodes, machineConfigs } from '../../src/api/kinds/resources.ts'
import type { Api } from '../integration/daemon/cluster/api.ts'
import { startApi } from '../integration/daemon/cluster/api.ts'
import { nodeName } from './daemon-disk.ts'
import { first, found, inspect, paths, second, whichOf } from './two-configs.ts'
import { eventually, VirtualMachine } from './virtual-machine.ts'
import { describeOnVirtualMachines } from './vm-tools.ts'

interface PowerCut {
  readonly to: 'first' | 'second'
  /** An update flushes about 65 times before it reboots. */
  readonly flush: number
  /** The seed that selects which unflushed writes survive. */
  readonly seed: number
}

const moments: readonly PowerCut[] = [
  { to: 'first', flush: 20, seed: 1 },
  { to: 'second', flush: 45, seed: 2 },
  { to: 'first', flush: 5, seed: 3 },
  { to: 'second', flush: 30, seed: 4 },
  { to: 'first', flush: 58, seed: 5 },
  { to: 'second', flush: 12, seed: 6 },
]

/** POWER_CUTS=2 to 6 adds more of them, and the one during shutdown. */
const powerCuts = moments.slice(0, Number(process.env['POWER_CUTS'] ?? 1))

/** The daemon on a real kernel: its bundle as a service of systemd, on a booted ostree. */
describeOnVirtualMachines('the daemon on a virtual machine', (tools) => {
  let api: Api
  let machine: VirtualMachine

  beforeAll(async () => {
    api = await startApi()
    await api.client.create(machineConfigs, first)
    await api.client.create(machineConfigs, second)
    const annotations = {
      [nodeAnnotations.desiredConfig]: 'first',
      [nodeAnnotations.controlPlaneTopology]: 'SingleReplica',
    }
    await api.client.create(nodes, { metadata: { name: nodeName, annotations } })
    machine = await VirtualMachine.make(tools, api.kubeconfig)
  })

  afterAll(async () => {
    await machine?.stop()
    await api?.stop()
  })

  const desire = async (name: string): Promise<void> => {
    const annotations = { [nodeAnnotations.desiredConfig]: name }
    await api.client.patch(nodes, { name: nodeName }, mergePatch({ metadata: { annotations } }))
  }

  const annotations = async (): Promise<Record<string, string>> =>
    (await api.client.get(nodes, { name: nodeName })).metadata.annotations ?? {}

  /** Starts the machine again whenever it reboots. Returns how often. */
  const done = async (name: string): Promise<number> => {
    let boots = 0
    await eventually(`the node is Done with ${name}`, async () => {
      if (machine.isDown()) {
        await machine.comesBack()
        boots++
      }
      const now = await annotations()
      if (now[nodeAnnotations.state] === 'Degraded') {
        throw new Error(`Degraded: ${now[nodeAnnotations.reason]}\n${machine.console()}`)
      }
      return now[nodeAnnotations.currentConfig] === name && now[nodeAnnotations.state] === 'Done'
    })
    return boots
  }

  const events = async (reason: string): Promise<string[]> => {
    const { items } = await api.client.list(coreEvents, { namespace: 'default' })
    return items.filter((event) => event.reason === reason).map(({ message }) => message ?? '')
  }

  it('applies files, a unit and kernel arguments with a reboot', async () => {
    await machine.switchOn()
    const before = await machine.bootId()
    expect(await machine.run('cat /proc/cmdline')).not.toContain('machinist.test')
    expect(await done('first')).toBe(1)
    expect(await machine.bootId()).not.toBe(before)
    expect(await machine.run(inspect)).toBe(found.first)
  })

  it('logs the reason of the reboot', async () => {
    const why =
      'update to first: kernel arguments take effect at boot (add machinist.test=1), the OS image takes effect at boot, the rules of 4.16 have no entry for /etc/a and 2 more'
    expect(await events('Reboot')).toEqual([
      `Node will reboot into config first: ${why}`,
      `Node has rebooted into config first: ${why}`,
    ])
    const { status } = await api.client.get(machineConfigNodes, { name: nodeName })
    const rebooted = status?.conditions?.find(({ type }) => type === 'RebootedNode')
    expect(rebooted?.message).toContain(why)
    const journal = await machine.run(
      'journalctl --boot=-1 --identifier=machine-config-daemon --output=cat',
    )
    expect(journal).toBe(`Rebooting: ${why}\n`)
  })

  it('applies another OS image', async () => {
    const before = await machine.bootId()
    await desire('second')
    expect(await done('second')).toBe(1)
    expect(await machine.bootId()).not.toBe(before)
    expect(await machine.run(inspect)).toBe(found.second)
  })

  it.each(powerCuts)(
    'reaches $to after a power cut at flush $flush',
    async ({ to, flush, seed }) => {
      await desire(to)
      await machine.losesPowerAtFlush(flush, seed)
      const cut = await annotations()
      expect(cut[nodeAnnotations.state]).toBe('Working')
      expect(cut[nodeAnnotations.currentConfig]).not.toBe(to)
      const left = await machine.filesAtRest(paths)
      const [a, b, ...others] = left.map(whichOf)
      expect(['one', 'two', 'absent']).toContain(b)
      // A file of both configs always exists; if it is absent, the path of the test is wrong.
      for (const which of [a, ...others]) expect(['one', 'two']).toContain(which)
      await machine.switchOn()
      await done(to)
      expect(await machine.run(inspect)).toBe(found[to])
    },
  )

  it.skipIf(powerCuts.length < 2)(
    'reaches the config after a power cut during shutdown',
    async () => {
      const to = powerCuts.at(-1)?.to === 'second' ? 'first' : 'second'
      await desire(to)
      await eventually('the Node reports that it reboots', async () => {
        return (await annotations())[nodeAnnotations.postConfigAction] === 'Rebooting'
      })
      await machine.losesPowerAtFlush(4, 7)
      await machine.switchOn()
      // The staged deployment was not finalized: it must be staged again.
      expect(await done(to)).toBe(1)
      expect(await machine.run(inspect)).toBe(found[to])
    },
  )
})
