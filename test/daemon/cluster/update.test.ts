import { describe, expect, it } from 'vitest'
import { nodePaths } from '../../../src/api/node-paths.ts'
import { config, quietFile } from '../follow/facts.ts'
import { scene } from './scene.ts'

const { machine } = scene()

describe('an update', { timeout: 60_000 }, () => {
  it('of a file that nobody has to be told about ends without a restart', async () => {
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
    await node.until('the MachineConfigNode says so', async () => {
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
    await node.until('the events are there', async () => {
      const events = await node.events()
      return events.includes('SkipReboot: Config changes of quiet-2 do not require reboot.')
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
    expect(node.host.actions.map((action) => action.do)).toEqual(['reboot', 'boot'])
    await node.until('the MachineConfigNode tells why it rebooted', async () => {
      return (await node.condition('RebootedNode')).startsWith(
        'False: Action during update to loud-2: Node has rebooted: ',
      )
    })
    await node.until('an event tells why it rebooted', async () => {
      const events = await node.events()
      return events.some((event) =>
        event.startsWith('Reboot: Node has rebooted into config loud-2'),
      )
    })
  })
})
