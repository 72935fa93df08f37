import { describe, expect, it } from 'vitest'
import { systemClock } from '@machinist/core/clock'
import { KubeClient } from '@machinist/kube/client/client'
import { ConnectionFailure } from '@machinist/kube/failure'
import { mergePatch } from '@machinist/kube/patch'
import type { ApiResponse, ApiRequest } from '@machinist/kube/transport/transport'
import { requestLine } from '@machinist/kube/transport/transport'
import { newMachineConfigNode } from '../../../../src/api/kinds/new-machine-config-node.ts'
import { machineConfigNodes } from '../../../../src/api/kinds/resources.ts'
import type { InterruptedUpdate, Updates } from '../../../../src/daemon/apply/update.ts'
import { HostFailure } from '../../../../src/daemon/host/host-failure.ts'
import { plan } from '../../../../src/planner/plan.ts'
import { config, facts, quietFile } from '../follow/facts.ts'
import type { Reached } from './api.ts'
import { clientOf } from './api.ts'
import type { Machine } from './machine.ts'
import { RecordingTransport } from './recording-transport.ts'
import { scene } from './scene.ts'

const cluster = scene()

const quiet = (name: string): ReturnType<typeof config> => config(name, { [quietFile]: name })

interface Recorded extends Reached {
  readonly writes: () => string[]
}

async function recorded(): Promise<Recorded> {
  const reached = await clientOf(cluster.api.kubeconfig)
  const transport = new RecordingTransport(reached.transport)
  const client = new KubeClient({ transport, clock: systemClock })
  const writes = (): string[] =>
    transport.asked
      .filter(({ method }) => method !== 'GET')
      .map(({ method, path }) => `${method} ${path}`)
  return { ...reached, client, writes }
}

describe('the Node', { timeout: 60_000 }, () => {
  it("is written with the node's own credentials, if there are any", async () => {
    const [daemon, own] = [await recorded(), await recorded()]
    const node = await cluster
      .machine('own-writer', { client: daemon.client, nodeClient: own.client })
      .joined(quiet('own-1'))
    try {
      node.start()
      await node.untilDone('own-1')
      await node.desire(quiet('own-2'))
      await node.untilDone('own-2')
      await node.stop()
    } finally {
      daemon.close()
      own.close()
    }
    expect(new Set(own.writes())).toEqual(new Set(['PATCH /api/v1/nodes/own-writer']))
    expect(daemon.writes().join('\n')).not.toContain('/api/v1/nodes/')
    expect(daemon.writes().join('\n')).toContain('/machineconfignodes/own-writer/status')
  })
})

describe('the MachineConfigNode', { timeout: 60_000 }, () => {
  const specOf = async (node: Machine): Promise<unknown> => {
    const { spec } = await node.progress()
    return [spec.pool.name, spec.configVersion.desired]
  }

  it('is created by the daemon if it does not exist, without a pool', async () => {
    const node = await cluster.machine('unmade').joined(quiet('unmade-1'))
    node.start()
    await node.untilDone('unmade-1')
    await node.until('it is Updated', async () => {
      return (await node.condition('Updated')).startsWith('True')
    })
    expect(await specOf(node)).toEqual(['not-yet-set', 'unmade-1'])
    const pool = mergePatch({ spec: { pool: { name: 'worker' } } })
    await node.client.patch(machineConfigNodes, { name: node.name }, pool)
    await node.desire(quiet('unmade-2'))
    await node.untilDone('unmade-2')
    await node.until('it is Updated', async () => {
      return (await node.condition('Updated')) === 'True: Node is in unmade-2'
    })
    expect(await specOf(node)).toEqual(['worker', 'unmade-2'])
  })

  it.each([
    ['without a pool', undefined, undefined, 'not-yet-set'],
    ['by the rollout controller', 'worker', 'made-2', 'worker'],
  ])('that was created %s is kept', async (_, pool, desired, expected) => {
    const name = `made-${expected}`
    const node = await cluster.machine(name).joined(quiet('made-1'))
    const { uid } = (await node.object()).metadata
    await node.client.create(
      machineConfigNodes,
      newMachineConfigNode({ name: node.name, uid, pool, desired }),
    )
    node.start()
    await node.untilDone('made-1')
    await node.desire(quiet('made-2'))
    await node.untilDone('made-2')
    await node.until('it is Updated', async () => {
      return (await node.condition('Updated')) === 'True: Node is in made-2'
    })
    expect(await specOf(node)).toEqual([expected, 'made-2'])
  })

  it('does not get a config that the Node no longer desires', async () => {
    const node = await cluster.machine('overtaken').joined(quiet('over-1'))
    node.start()
    await node.untilDone('over-1')
    await node.until('it is Updated', async () => {
      return (await node.condition('Updated')).startsWith('True')
    })
    const write = node.host.files.write.bind(node.host.files)
    let seen: unknown
    node.host.files.write = async (path, file) => {
      if (path === quietFile && seen === undefined) {
        seen = 'about to be'
        // During the update, the rollout controller sets another config.
        await node.until('it is prepared', async () => {
          return (await node.condition('UpdateExecuted')).startsWith('Unknown')
        })
        const patch = mergePatch({ spec: { configVersion: { desired: 'over-3' } } })
        await node.client.patch(machineConfigNodes, { name: node.name }, patch)
        await node.desire(quiet('over-3'))
      }
      await write(path, file)
      if (path === quietFile && seen === 'about to be') seen = await specOf(node)
    }
    await node.desire(quiet('over-2'))
    await node.untilDone('over-3')
    expect(seen).toEqual(['not-yet-set', 'over-3'])
    await node.until('it is Updated', async () => {
      return (await node.condition('Updated')) === 'True: Node is in over-3'
    })
    expect(await specOf(node)).toEqual(['not-yet-set', 'over-3'])
  })

  it('reports a reboot of a rollback as such', async () => {
    const [from, to] = [quiet('undo-1'), config('undo-2', { '/etc/motd': 'x' })]
    const node = cluster.machine('undoing')
    await node.joined(from, { topology: 'SingleReplica' })
    const { booted: _, ...known } = facts().machine
    const made = plan({
      current: from,
      desired: to,
      rules: '4.16',
      facts: { ...known, forced: false, drains: false },
    })
    const update = { plan: made, current: from, desired: to }
    const reason = 'undo the update to undo-2: the disk is full'
    let left: InterruptedUpdate | undefined = { update, rollingBack: true }
    const updates: Updates = {
      interrupted: () => Promise.resolve(left),
      run: () => Promise.reject(new Error('nothing else is tried')),
      resume: async ({ progress }) => {
        progress('rollingBack')
        if (left?.reboot) {
          left = undefined
          return { type: 'rolledBack', error: new Error('the disk is full') }
        }
        progress('rebooting')
        left = { update, rollingBack: true, reboot: { reason, happened: true } }
        return { type: 'rebooting', reason }
      },
    }
    node.start({ updates })
    expect(await node.ended()).toBe('rebooting')
    expect(await node.condition('RebootedNode')).toBe(
      'Unknown: Node is rebooting to roll back the update to undo-2',
    )
    node.start({ updates })
    await node.untilDone('undo-1')
    await node.until('the MachineConfigNode reports the reason', async () => {
      return (await node.condition('RebootedNode')).endsWith(`Node has rebooted: ${reason}`)
    })
    expect(await node.events()).toEqual(
      expect.arrayContaining([
        'Reboot: Node will reboot to roll back the update to undo-2',
        `Reboot: Node has rebooted: ${reason}`,
      ]),
    )
  })

  it('reports a machine whose disk cannot be read, and its recovery', async () => {
    const node = await cluster.machine('broken-disk').joined(quiet('disk-1'))
    node.start()
    await node.untilDone('disk-1')
    const stat = node.host.files.stat.bind(node.host.files)
    let broken = true
    node.host.files.stat = (path) =>
      broken && path === '/etc/machine-config-daemon/currentconfig'
        ? Promise.reject(new HostFailure(`${path}: EIO`, 'EIO'))
        : stat(path)
    await node.desire(quiet('disk-2'))
    await node.untilAnnotation('state', 'Degraded')
    expect(await node.annotation('reason')).toContain('currentconfig: EIO')
    await node.until('the MachineConfigNode reports it', async () => {
      return (await node.condition('NodeDegraded')).includes('currentconfig: EIO')
    })
    expect(node.metrics.text()).toMatch(/mcd_state\{state="Degraded",reason="[^"]*EIO"\}/)
    broken = false
    await node.until('it is Done', async () => (await node.annotation('state')) === 'Done', 5000)
    await node.until('it is healthy again', async () => {
      return (await node.condition('NodeDegraded')) === 'False: The node is healthy'
    })
  })
})

/** Loses a number of requests for MachineConfigNodes. */
class LosingTransport extends RecordingTransport {
  losses = 0

  override request(request: ApiRequest): Promise<ApiResponse> {
    const isLost = request.path.includes('machineconfignodes') && this.losses > 0
    if (!isLost) return super.request(request)
    this.losses--
    return Promise.reject(new ConnectionFailure(requestLine(request), 'lost'))
  }
}

describe('a MachineConfigNode that could not be written', { timeout: 60_000 }, () => {
  it('is written later, without another event', async () => {
    const { transport, close } = await clientOf(cluster.api.kubeconfig)
    const losing = new LosingTransport(transport)
    const client = new KubeClient({ transport: losing, clock: systemClock })
    const node = await cluster.machine('unheard', { client }).joined(quiet('unheard-1'))
    losing.losses = 10
    try {
      node.start()
      await node.untilDone('unheard-1')
      const isReported = async (): Promise<boolean> =>
        losing.losses === 0 && (await node.condition('Updated')).startsWith('True')
      await node.until('it is reported', isReported, 5000)
      expect(await node.condition('Updated')).toBe('True: Node is in unheard-1')
    } finally {
      close()
    }
  })
})
