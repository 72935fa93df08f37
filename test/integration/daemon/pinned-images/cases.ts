import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { systemClock } from '@machinist/core/clock'
import { KubeClient } from '@machinist/kube/client/client'
import { mergePatch } from '@machinist/kube/patch'
import type { MachineConfigNode } from '../../../../src/api/kinds/resources.ts'
import * as api from '../../../../src/api/kinds/resources.ts'
import type { RunningControllers } from '../../../support/running-controllers.ts'
import { runPinnedImagesControllers } from '../../controllers/pinned-images/running.ts'
import { clientOf } from '../cluster/api.ts'
import { Machine } from '../cluster/machine.ts'
import { RecordingTransport } from '../cluster/recording-transport.ts'
import { config, quietFile } from '../follow/facts.ts'
import { specOf } from '../trust/trial.ts'
import { dropin, image, notes } from './trial.ts'

interface Server {
  readonly kubeconfig: string
  stop(): Promise<void>
}

const role = 'machineconfiguration.openshift.io/role'
const rendered = config('rendered-worker-1', { [quietFile]: 'x' })

/** Controllers and a whole daemon with an API server: from a PinnedImageSet to the disk of a node. */
export function pinnedNodeCases(start: () => Promise<Server>): void {
  let server: Server
  let admin: Awaited<ReturnType<typeof clientOf>>
  let client: KubeClient
  let controllers: RunningControllers
  const machines: Machine[] = []
  const lines: (() => void)[] = []

  beforeAll(async () => {
    server = await start()
    admin = await clientOf(server.kubeconfig)
    client = admin.client
    await client.create(api.controllerConfigs, {
      metadata: { name: 'machine-config-controller' },
      spec: specOf({}),
    })
    await client.create(api.machineConfigPools, {
      metadata: { name: 'worker' },
      spec: { machineConfigSelector: { matchLabels: { [role]: 'worker' } } },
    })
    controllers = runPinnedImagesControllers(client)
  }, 120_000)
  afterEach(async () => {
    for (const machine of machines.splice(0)) await machine.stop()
    for (const close of lines.splice(0)) close()
    for await (const { metadata } of client.listAll(api.pinnedImageSets)) {
      await client.remove(api.pinnedImageSets, { name: metadata.name })
    }
  })
  afterAll(async () => {
    await controllers.stop()
    admin.close()
    await server.stop()
  })

  const pin = (name: string, ...letters: string[]): Promise<unknown> =>
    client.create(api.pinnedImageSets, {
      metadata: { name, labels: { [role]: 'worker' } },
      spec: { pinnedImages: letters.map((letter) => ({ name: image(letter) })) },
    })
  const joined = async (name: string): Promise<{ machine: Machine; asked: () => string[] }> => {
    const line = await clientOf(server.kubeconfig)
    lines.push(line.close)
    const transport = new RecordingTransport(line.transport)
    const pinnedImages = { jitterMs: 0 }
    const own = new KubeClient({ transport, clock: systemClock })
    const machine = new Machine(client, name, { client: own, pinnedImages })
    machines.push(machine)
    await machine.make(rendered)
    await machine.joined(rendered)
    const asked = (): string[] =>
      transport.asked
        .map(({ method, path }) => `${method} ${path.replace(/\?.*/, '')}`)
        .filter((each) => /pinnedimagesets|machineconfigpools/.test(each))
        .map((each) => each.replace('/apis/machineconfiguration.openshift.io/v1', ''))
    return { machine, asked }
  }
  const progress = async (machine: Machine): Promise<MachineConfigNode['status']> =>
    (await machine.progress()).status
  const untilReported = (machine: Machine, text: string): Promise<void> =>
    machine.until(`${machine.name} reports ${text}`, async () =>
      (await machine.condition('PinnedImageSetsProgressing')).includes(text),
    )

  it('pulls images to a node, pins and reports them; then unpins them', async () => {
    const { machine, asked } = await joined('pins')
    machine.start()
    await machine.untilDone('rendered-worker-1')
    expect(asked()).toEqual([])
    await pin('one', 'a', 'b')
    await untilReported(machine, 'All pinned images (2) are on the node')
    expect(await machine.read(dropin)).toContain(image('b'))
    expect((await progress(machine))?.pinnedImageSets).toEqual([
      { name: 'one', desiredGeneration: 1, currentGeneration: 1 },
    ])
    expect(await machine.condition('PinnedImageSetsDegraded')).toBe('False: No prefetch failed')
    expect(await machine.condition('Updated')).toMatch(/^True/)
    expect(asked()).toEqual(['GET /machineconfigpools/worker', 'GET /pinnedimagesets/one'])
    await client.remove(api.pinnedImageSets, { name: 'one' })
    await machine.until(
      'the images are unpinned',
      async () => (await machine.host.files.stat(notes)) === undefined,
      1000,
    )
    expect(await machine.host.files.stat(dropin)).toBeUndefined()
    expect((await progress(machine))?.pinnedImageSets).toBeUndefined()
    expect(await machine.condition('PinnedImageSetsProgressing')).toBe(
      'False: No images are pinned',
    )
    const reloads = machine.host.actions.filter(({ type }) => type === 'reload')
    expect(reloads).toHaveLength(2)
  })

  it('reports a failed image, and pulls it when that is possible', async () => {
    const { machine } = await joined('fails')
    await machine.host.images.setPullable(image('c'), false)
    await pin('two', 'a', 'c')
    machine.start()
    await machine.until('it is degraded', async () =>
      (await machine.condition('PinnedImageSetsDegraded')).includes(`pulling ${image('c')} failed`),
    )
    expect((await progress(machine))?.pinnedImageSets).toEqual([
      {
        name: 'two',
        desiredGeneration: 1,
        lastFailedGeneration: 1,
        lastFailedGenerationError: `pulling ${image('c')} failed: manifest unknown`,
      },
    ])
    // The lanes are not affected.
    await machine.untilDone('rendered-worker-1')
    await machine.host.images.setPullable(image('c'), true)
    await machine.until(
      'the failure is cleared',
      async () =>
        (await machine.condition('PinnedImageSetsDegraded')) === 'False: No prefetch failed',
      1000,
    )
    expect((await progress(machine))?.pinnedImageSets).toEqual([
      { name: 'two', desiredGeneration: 1, currentGeneration: 1 },
    ])
  })

  it('needs no request after a restart of the daemon, and follows a recreated set', async () => {
    const { machine, asked } = await joined('again')
    await pin('three', 'a')
    const spec = { pinnedImages: [{ name: image('b') }] }
    await client.patch(api.pinnedImageSets, { name: 'three' }, mergePatch({ spec }))
    machine.start()
    await machine.until('generation 2 is there', async () => {
      return (
        (await progress(machine).catch(() => undefined))?.pinnedImageSets?.[0]
          ?.currentGeneration === 2
      )
    })
    await machine.stop()
    const before = asked().length
    await client.remove(api.pinnedImageSets, { name: 'three' })
    await pin('three', 'd')
    machine.start()
    await machine.until('generation 1 of another set is there', async () => {
      return (await progress(machine))?.pinnedImageSets?.[0]?.currentGeneration === 1
    })
    expect(await machine.read(dropin)).toContain(image('d'))
    await machine.stop()
    const after = asked().length
    expect(after).toBeGreaterThan(before)
    machine.start()
    await machine.untilDone('rendered-worker-1')
    await untilReported(machine, 'All pinned images (1)')
    expect(asked()).toHaveLength(after)
  })
}
