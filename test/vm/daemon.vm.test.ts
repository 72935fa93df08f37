import { afterAll, beforeAll, expect, it } from 'vitest'
import { nodeAnnotations } from '../../src/api/annotations.ts'
import { machineConfigNodes, machineConfigs } from '../../src/api/resources.ts'
import { nodes } from '@machinist/kube/kinds/core'
import { coreEvents } from '@machinist/kube/kinds/events'
import { mergePatch } from '@machinist/kube/patch'
import type { Api } from '../integration/daemon/cluster/api.ts'
import { startApi } from '../integration/daemon/cluster/api.ts'
import { nodeName } from './daemon-disk.ts'
import { first, found, look, paths, second, whichOf } from './two-configs.ts'
import { eventually, VirtualMachine } from './virtual-machine.ts'
import { describeOnVirtualMachines } from './vm-tools.ts'

interface PowerCut {
  readonly to: 'first' | 'second'
  /** An update flushes about 65 times before it reboots. */
  readonly flush: number
  /** Of the luck of what was not flushed. */
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

/** More of them, and the one at the end, with POWER_CUTS=2 up to 6. */
const powerCuts = moments.slice(0, Number(process.env['POWER_CUTS'] ?? 1))

/** The whole on a real kernel: the daemon's bundle as a service of systemd, on an ostree that was really booted. */
describeOnVirtualMachines('the daemon on a machine of its own', (tools) => {
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

  const said = async (): Promise<Record<string, string>> =>
    (await api.client.get(nodes, { name: nodeName })).metadata.annotations ?? {}

  /** Switches the machine on whenever it goes down by itself, and tells how often. */
  const done = async (name: string): Promise<number> => {
    let boots = 0
    await eventually(`the node is Done with ${name}`, async () => {
      if (machine.isDown()) {
        await machine.comesBack()
        boots++
      }
      const now = await said()
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

  it('is given files, a unit and kernel arguments, and comes back from a reboot with them', async () => {
    await machine.switchOn()
    const before = await machine.bootId()
    expect(await machine.run('cat /proc/cmdline')).not.toContain('machinist.test')
    expect(await done('first')).toBe(1)
    expect(await machine.bootId()).not.toBe(before)
    expect(await machine.run(look)).toBe(found.first)
  })

  it('says why it rebooted', async () => {
    const why =
      'update to first: kernel arguments take effect at boot (add machinist.test=1), another operating system image takes effect at boot, the rules of 4.16 do not name /etc/a and 2 more'
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

  it('gets another operating system', async () => {
    const before = await machine.bootId()
    await desire('second')
    expect(await done('second')).toBe(1)
    expect(await machine.bootId()).not.toBe(before)
    expect(await machine.run(look)).toBe(found.second)
  })

  it.each(powerCuts)(
    'goes to $to although its power is cut at flush $flush',
    async ({ to, flush, seed }) => {
      await desire(to)
      await machine.losesPowerAtFlush(flush, seed)
      const cut = await said()
      expect(cut[nodeAnnotations.state]).toBe('Working')
      expect(cut[nodeAnnotations.currentConfig]).not.toBe(to)
      const left = await machine.filesAtRest(paths)
      const [a, b, ...others] = left.map(whichOf)
      expect(['one', 'two', 'absent']).toContain(b)
      // What both configs bring is never away, so one that is was not found where it was looked for.
      for (const which of [a, ...others]) expect(['one', 'two']).toContain(which)
      await machine.switchOn()
      await done(to)
      expect(await machine.run(look)).toBe(found[to])
    },
  )

  it.skipIf(powerCuts.length < 2)(
    'goes there although its power is cut when it goes down',
    async () => {
      const to = powerCuts.at(-1)?.to === 'second' ? 'first' : 'second'
      await desire(to)
      await eventually('it says that it reboots', async () => {
        return (await said())[nodeAnnotations.postConfigAction] === 'Rebooting'
      })
      await machine.losesPowerAtFlush(4, 7)
      await machine.switchOn()
      // What was staged was never made the next boot's: it has to be done again.
      expect(await done(to)).toBe(1)
      expect(await machine.run(look)).toBe(found[to])
    },
  )
})
