import { describe, expect, it } from 'vitest'
import { nodeAnnotations } from '../../../../src/api/annotations.ts'
import { nodePaths } from '../../../../src/api/node-paths.ts'
import { config, quietFile } from '../follow/facts.ts'
import { scene } from './scene.ts'

const { machine } = scene()

const firstBootAnnotations = (name: string): string =>
  JSON.stringify({
    [nodeAnnotations.currentConfig]: name,
    [nodeAnnotations.desiredConfig]: name,
    [nodeAnnotations.state]: 'Done',
    [nodeAnnotations.firstPivotConfig]: name,
  })

describe('a joining machine', { timeout: 60_000 }, () => {
  it('sets the annotations of first boot, and is Done after a verification of its disk', async () => {
    const node = machine('joiner')
    const served = config('join-1', { [quietFile]: 'one' })
    await node.node({})
    await node.make(served)
    await node.holds(served)
    // As first boot stores it: without the Ignition part.
    await node.put(nodePaths.currentConfig, JSON.stringify({ ...served, spec: {} }))
    await node.put(nodePaths.nodeAnnotations, firstBootAnnotations('join-1'))
    await node.put(nodePaths.encapsulated, '{}')
    await node.put(nodePaths.ignitionPreset, 'enable x.service')
    node.start()
    await node.untilDone('join-1')
    await node.until('it has joined', async () => {
      return (await node.host.files.stat(nodePaths.nodeAnnotations)) === undefined
    })
    expect(await node.annotation('firstPivotConfig')).toBe('join-1')
    expect(await node.read(nodePaths.nodeAnnotationsDone)).toBe(firstBootAnnotations('join-1'))
    expect(JSON.parse(await node.read(nodePaths.currentConfig))).toMatchObject({
      spec: served.spec,
    })
    expect(await node.host.files.stat(nodePaths.encapsulated)).toBeUndefined()
    expect(await node.host.files.stat(nodePaths.ignitionPreset)).toBeUndefined()
  })

  it('gets the OS of its config with one reboot, and no drain', async () => {
    const node = machine('pivoting')
    const served = config('pivot-1', { [quietFile]: 'one' }, { osImageURL: 'os.example/os:9' })
    await node.node({})
    await node.make(served)
    await node.holds(served)
    await node.put(nodePaths.nodeAnnotations, firstBootAnnotations('pivot-1'))
    node.start()
    await node.reboots()
    await node.untilDone('pivot-1')
    expect((await node.host.os.state()).booted.image).toBe('os.example/os:9')
    expect(await node.annotation('desiredDrain')).toBeUndefined()
    expect(node.host.actions.filter((action) => action.type === 'reboot')).toHaveLength(1)
  })

  it('uses the served config if its config was deleted in the cluster', async () => {
    const node = machine('forgotten')
    const served = config('forgotten-1', { [quietFile]: 'one' })
    await node.node({})
    await node.holds(served)
    await node.put(nodePaths.nodeAnnotations, firstBootAnnotations('forgotten-1'))
    await node.put(nodePaths.served, JSON.stringify(served))
    await node.desire(config('forgotten-2', { [quietFile]: 'two' }))
    await node.annotate({ [nodeAnnotations.currentConfig]: 'forgotten-1' })
    node.start()
    await node.untilDone('forgotten-2')
    expect(await node.read(quietFile)).toBe('two')
  })

  it('without a config gets its first one', async () => {
    const node = machine('bare')
    await node.node({ topology: 'SingleReplica' })
    node.start()
    await node.clock.advance(1000)
    expect(await node.annotation('state')).toBeUndefined()
    await node.desire(config('bare-1', { [quietFile]: 'one' }))
    await node.untilDone('bare-1')
    expect(await node.read(quietFile)).toBe('one')
  })
})

describe('the config on disk takes precedence', { timeout: 60_000 }, () => {
  it('when the API server was restored from a backup', async () => {
    const onDisk = config('restored-2', { [quietFile]: 'two' })
    const node = await machine('restored').joined(onDisk, { current: 'restored-1' })
    node.start()
    await node.untilDone('restored-2')
    await node.stop()
    await node.annotate({
      [nodeAnnotations.currentConfig]: 'restored-1',
      [nodeAnnotations.desiredConfig]: 'restored-1',
    })
    await node.make(config('restored-1', { [quietFile]: 'one' }))
    node.start()
    await node.untilDone('restored-2')
    expect(await node.annotation('desiredConfig')).toBe('restored-2')
    expect(await node.read(quietFile)).toBe('two')
    await node.until('an event is emitted', async () => {
      return (await node.events()).some((event) => event.includes('DiskAheadOfNode'))
    })
    await node.desire(config('restored-1', { [quietFile]: 'one' }))
    await node.untilDone('restored-1')
    expect(await node.read(quietFile)).toBe('one')
    expect(await node.annotation('reason')).toBe('')
  })
})

describe('cordons', { timeout: 60_000 }, () => {
  it('are removed after every drain, and only then', async () => {
    const node = await machine('cordoned').joined(config('cordon-1'))
    node.start()
    await node.untilDone('cordon-1')
    expect(await node.annotation('desiredDrain')).toBeUndefined()
    await node.desire(config('cordon-2'))
    await node.answerDrain('drain-cordon-2')
    await node.reboots()
    await node.answerDrain('uncordon-cordon-2')
    await node.untilDone('cordon-2')
    expect(await node.annotation('desiredDrain')).toBe('uncordon-cordon-2')
  })

  it('are not requested on a cluster of one node', async () => {
    const node = await machine('single').joined(config('single-1'), { topology: 'SingleReplica' })
    node.start()
    await node.untilDone('single-1')
    await node.desire(config('single-2'))
    await node.reboots()
    await node.untilDone('single-2')
    expect(await node.annotation('desiredDrain')).toBeUndefined()
  })
})
