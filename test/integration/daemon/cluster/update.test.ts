import { describe, expect, it } from 'vitest'
import { systemClock } from '@machinist/core/clock'
import { KubeClient } from '@machinist/kube/client/client'
import type { ApiResponse, ApiRequest } from '@machinist/kube/transport/transport'
import { nodeAnnotations } from '../../../../src/api/annotations.ts'
import { nodePaths } from '../../../../src/api/node-paths.ts'
import { config, quietFile } from '../follow/facts.ts'
import { clientOf } from './api.ts'
import { RecordingTransport } from './recording-transport.ts'
import { scene } from './scene.ts'

const cluster = scene()
const { machine } = cluster

/** Runs `overtake` after the daemon has decided and before its request is sent. */
class OvertakenTransport extends RecordingTransport {
  overtake: ((body: string, path: string) => Promise<void>) | undefined

  override async request(request: ApiRequest): Promise<ApiResponse> {
    await this.overtake?.(JSON.stringify(request.body ?? ''), request.path)
    return super.request(request)
  }
}

describe('an update', { timeout: 60_000 }, () => {
  it('of a file without actions ends without a restart', async () => {
    const node = await machine('quiet').joined(config('quiet-1', { [quietFile]: 'one' }))
    node.start()
    await node.untilDone('quiet-1')
    await node.desire(config('quiet-2', { [quietFile]: 'two' }))
    await node.untilDone('quiet-2')
    expect(await node.read(quietFile)).toBe('two')
    expect(JSON.parse(await node.read(nodePaths.currentConfig))).toMatchObject({
      metadata: { name: 'quiet-2' },
    })
    expect(node.host.actions).toEqual([])
    expect(await node.annotation('desiredDrain')).toBeUndefined()
    await node.until('the MachineConfigNode reports it', async () => {
      return (await node.condition('Updated')) === 'True: Node is in quiet-2'
    })
    expect((await node.progress()).status?.configVersion).toEqual({
      current: 'quiet-2',
      desired: 'quiet-2',
    })
    expect(await node.condition('AppliedFilesAndOS')).toBe(
      'False: Action during update to quiet-2: Files and OS of quiet-2 are in place',
    )
    expect(await node.condition('RebootedNode')).toBe(
      'False: This node has not yet entered the RebootedNode phase',
    )
    const expected = [
      'ConfigDriftMonitorStarted: Config Drift Monitor started, watching against quiet-1',
      'ConfigDriftMonitorStopped: Config Drift Monitor stopped',
      'SkipReboot: Config changes of quiet-2 do not require reboot.',
      'ConfigDriftMonitorStarted: Config Drift Monitor started, watching against quiet-2',
    ]
    await node.until('the events are emitted', async () => {
      const events = await node.events()
      return expected.every((event) => events.includes(event))
    })
  })

  it('with a reboot is drained, applied, rebooted, verified and uncordoned', async () => {
    const node = await machine('loud').joined(config('loud-1'))
    node.start()
    await node.untilDone('loud-1')
    await node.desire(config('loud-2'))
    await node.untilAnnotation('desiredDrain', 'drain-loud-2')
    expect(await node.annotation('state')).toBe('Working')
    expect(await node.read('/etc/motd')).toBe('loud-1')
    await node.answerDrain('drain-loud-2')
    await node.untilAnnotation('postConfigAction', 'Rebooting')
    await node.reboots()
    await node.untilAnnotation('desiredDrain', 'uncordon-loud-2')
    expect(await node.annotation('state')).toBe('Working')
    expect(await node.annotation('postConfigAction')).toBe('')
    await node.answerDrain('uncordon-loud-2')
    await node.untilDone('loud-2')
    expect(await node.read('/etc/motd')).toBe('loud-2')
    expect((await node.object()).spec?.unschedulable ?? false).toBe(false)
    expect(node.host.actions.map((action) => action.type)).toEqual(['reboot', 'boot'])
    await node.until('the MachineConfigNode reports the reason of the reboot', async () => {
      return (await node.condition('RebootedNode')).startsWith(
        'False: Action during update to loud-2: Node has rebooted: ',
      )
    })
    await node.until('an event reports the reason of the reboot', async () => {
      const events = await node.events()
      return events.some((event) =>
        event.startsWith('Reboot: Node has rebooted into config loud-2'),
      )
    })
  })

  it('that was taken back before the drain request does not begin', async () => {
    const { transport, close } = await clientOf(cluster.api.kubeconfig)
    const overtaken = new OvertakenTransport(transport)
    const client = new KubeClient({ transport: overtaken, clock: systemClock })
    const node = await machine('late', { client }).joined(config('late-1'))
    try {
      node.start()
      await node.untilDone('late-1')
      overtaken.overtake = async (body) => {
        if (!body.includes('drain-late-2')) return
        overtaken.overtake = undefined
        await node.annotate({ [nodeAnnotations.desiredConfig]: 'late-1' })
      }
      await node.desire(config('late-2'))
      await node.until('it requested the drain', () => overtaken.overtake === undefined)
      await node.desire(config('late-3', { '/etc/motd': 'late-1', [quietFile]: 'three' }))
      await node.untilDone('late-3')
      expect(overtaken.asked.filter(({ body }) => body.includes('drain-late-2'))).toHaveLength(1)
      expect(await node.annotation('desiredDrain')).toBeUndefined()
    } finally {
      close()
    }
  })

  it('that was taken back during the drain does not begin', async () => {
    const { transport, close } = await clientOf(cluster.api.kubeconfig)
    const overtaken = new OvertakenTransport(transport)
    const client = new KubeClient({ transport: overtaken, clock: systemClock })
    const node = await machine('drained', { client }).joined(config('drained-1'))
    try {
      node.start()
      await node.untilDone('drained-1')
      await node.desire(config('drained-2'))
      await node.untilAnnotation('desiredDrain', 'drain-drained-2')
      overtaken.overtake = async (_body, path) => {
        // The last request before a decision.
        if (!path.includes('/configmaps/')) return
        if ((await node.annotation('lastAppliedDrain')) !== 'drain-drained-2') return
        overtaken.overtake = undefined
        await node.annotate({ [nodeAnnotations.desiredConfig]: 'drained-1' })
      }
      await node.answerDrain('drain-drained-2')
      await node.untilAnnotation('desiredDrain', 'uncordon-drained-1')
      await node.answerDrain('uncordon-drained-1')
      await node.untilDone('drained-1')
      expect(await node.read('/etc/motd')).toBe('drained-1')
      expect(node.host.actions).toEqual([])
    } finally {
      close()
    }
  })
})
