import { expect, it } from 'vitest'
import { bundle } from '../daemon/trust/certificates.ts'
import * as operatorLoop from '../operator/trust/running-loop.ts'
import type { Story } from './story.ts'
import { alike, isNoBoot, kubeletCA, kubeletSigner, masters, names, workers } from './story.ts'

/** Whole rotations with rendered delivery, and the switch to direct delivery. */
export function renderedCases(story: Story): void {
  const { has, isUpdated, rendered, state } = story

  it('a new kubelet CA is one new config for each pool, without drain, reboot or restart', async () => {
    const { cluster } = story
    await cluster.begin()
    const next = await bundle(`${kubeletSigner}@2`, `${kubeletSigner}@1`)
    await operatorLoop.putInput(cluster.client, 'kubelet', next)
    await has(kubeletCA, next)
    await isUpdated('master')
    await isUpdated('worker')
    await cluster.calm()
    expect(rendered()).toEqual(['master', 'worker'])
    expect(await cluster.each(({ actions }) => actions)).toEqual(alike(names, []))
    expect(cluster.disruptions()).toEqual([])
    expect(cluster.history.pulses).toEqual([])
    const reported = await cluster.each((node) => node.reportedItem('kubelet-client-ca'))
    for (const item of Object.values(reported)) {
      expect(item).toMatchObject({ state: 'Rendered', actualDigest: item?.wantedDigest })
    }
  })

  it('a paused pool does not get it, and reports that', async () => {
    const { cluster } = story
    await cluster.pause('worker', true)
    await cluster.begin()
    const before = await bundle(`${kubeletSigner}@2`, `${kubeletSigner}@1`)
    const next = await bundle(`${kubeletSigner}@3`, `${kubeletSigner}@2`, `${kubeletSigner}@1`)
    await operatorLoop.putInput(cluster.client, 'kubelet', next)
    const [control, others] = [cluster.some(masters), cluster.some(workers)]
    await has(kubeletCA, next, control)
    await isUpdated('master')
    await cluster.calm()
    expect(await cluster.each((node) => node.read(kubeletCA), others)).toEqual(
      alike(workers, before),
    )
    expect(await cluster.each(({ written }) => written, others)).toEqual(alike(workers, []))
    const { status } = await cluster.pool('worker')
    const held = status?.conditions?.find(({ type }) => type === 'machinist.dev/CertificatesHeld')
    expect(held).toMatchObject({ status: 'True', reason: 'PoolPaused' })
    expect(held?.message).toMatch(
      /^since \S+Z the pause keeps a new \/etc\/kubernetes\/kubelet-ca.crt from the nodes of this pool; their trusted signer expires at 2036-01-01T00:00:00Z, \d+ days left: unpause the pool, or deliver certificates directly$/,
    )
    expect(cluster.metrics.text()).toContain(
      'machine_config_controller_paused_pool_kubelet_ca{pool="worker"} 2082758400\n',
    )
    const reported = await cluster.each(
      async (node) => (await node.reportedItem('kubelet-client-ca'))?.message,
      others,
    )
    expect(reported).toEqual(
      alike(
        workers,
        'MachineConfigs deliver it, and the config of this node contains another version',
      ),
    )
  })

  it('from rendered to direct: a paused pool gets the CA at once, and a node that was off catches up', async () => {
    const { cluster } = story
    const off = cluster.node('worker-1')
    await off.powerOff()
    await cluster.begin()
    await cluster.say({ certificateDelivery: 'direct' })
    const next = await bundle(`${kubeletSigner}@3`, `${kubeletSigner}@2`, `${kubeletSigner}@1`)
    const on = cluster.nodes.filter((node) => node !== off)
    await has(kubeletCA, next, on)
    await isUpdated('master')
    await off.powerOn()
    await has(kubeletCA, next)
    await cluster.pause('worker', false)
    await isUpdated('worker')
    await cluster.calm()
    expect([await cluster.isUpdated('master'), await cluster.isUpdated('worker')]).toEqual([
      true,
      true,
    ])
    expect(await cluster.each(({ actions }) => actions.filter(isNoBoot))).toEqual(alike(names, []))
    expect(cluster.disruptions()).toEqual([])
    expect(await cluster.each((node) => node.read(kubeletCA))).toEqual(alike(names, next))
    expect(
      await cluster.each(({ removed }) => removed.filter((path) => path === kubeletCA)),
    ).toEqual(alike(names, []))
    expect(await state('kubelet-client-ca')).toEqual(alike(names, 'Current'))
    const { status } = await cluster.pool('worker')
    const held = status?.conditions?.find(({ type }) => type === 'machinist.dev/CertificatesHeld')
    expect(held).toMatchObject({ status: 'False', reason: 'NothingHeld' })
  })
}

/** The switch from direct to rendered reboots every node, and so takes longer than all other cases. */
export function backToRenderedCase(story: Story): void {
  const { isUpdated, rendered, state } = story

  it('from direct to rendered: every node gets a config with its CAs, and no file is ever missing', async () => {
    const { cluster } = story
    await cluster.begin()
    const now = await cluster.node('worker-0').read(kubeletCA)
    await cluster.say({ certificateDelivery: 'rendered' })
    await cluster.time.until(
      'new configs are rendered',
      () => cluster.history.rendered.length === 2,
    )
    await isUpdated('master')
    await isUpdated('worker')
    await cluster.calm()
    expect(rendered()).toEqual(['master', 'worker'])
    // As up to 4.12: the config also contains the CA of the config server, which causes a reboot.
    const reboots = await cluster.each(
      ({ actions }) => actions.filter((action) => action.startsWith('reboot')).length,
    )
    expect(reboots).toEqual(alike(names, 1))
    expect(await cluster.each((node) => node.read(kubeletCA))).toEqual(alike(names, now))
    expect(
      await cluster.each(({ removed }) => removed.filter((path) => path === kubeletCA)),
    ).toEqual(alike(names, []))
    expect(await state('kubelet-client-ca')).toEqual(alike(names, 'Rendered'))
  })
}
