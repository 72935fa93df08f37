import { describe, expect, it } from 'vitest'
import { nodePaths } from '../../../src/api/node-paths.ts'
import {
  certificateIn,
  commonNames,
  issuerIn,
  rotate,
  rotateBack,
  statusOf,
} from '../../integration/signer/deeds.ts'
import { inspect } from '../../integration/signer/inspection.ts'
import { ProbedLane } from '../../integration/signer/probed-lane.ts'
import { kubeletRotation, kubelets, quick } from '../../integration/signer/rotations.ts'

/*
 * Real doors, real certificates: whoever calls a kubelet is let in at every moment of a rotation, there and back again,
 * whatever happens to nodes meanwhile.
 */
const settleMs = 60_000
/**
 * One takes over a new certificate at once, one a while later; and those that keep their connections look at their files every
 * five minutes, as kube-apiserver does.
 */
const holders = { lagsMs: [0, settleMs - 15_000], deliveryMs: 30_000 }

const wish = quick(kubeletRotation({ settle: '1m' }))

it('nobody is turned away while a CA rotates and rotates back', async () => {
  await using world = await ProbedLane.open(wish, holders)
  const { lane, prober, rotation } = world
  const { client } = lane
  const status = (): ReturnType<typeof statusOf> => statusOf(client, rotation)
  const signer = async (): Promise<string> =>
    (await certificateIn(client, kubelets.signer))!.commonName!
  const laggards = async (): Promise<string[]> =>
    ((await status()).nodes?.laggards ?? []).map(({ name }) => name).sort()
  const holds = async (name: string): Promise<string[]> => {
    const node = lane.nodes.find((each) => each.name === name)!
    return commonNames((await node.read(nodePaths.kubeletCA)) ?? '')
  }

  for (const name of ['one', 'two', 'three']) (await world.join(name)).on()
  await world.until('all trust it', async () => (await status()).nodes?.trusting === 3)
  await world.complete()
  for (const name of ['one', 'two', 'three']) await world.openDoor(name)
  const old = await signer()
  expect(await holds('two')).toEqual([old, 'admin'])
  const installed = (await lane.nodes[0]!.read(nodePaths.kubeletCA))!
  await world.pass(settleMs)

  // One is cut off when it begins, and one joins as an image of before would.
  world.cut('two')
  await rotate(client, kubelets.signer)
  await world.until('there is a new CA', async () => (await signer()) !== old)
  const late = await world.join('late', installed)
  await world.openDoor('late')
  const fresh = await signer()
  await world.until('two nodes have it', async () => (await status()).nodes?.trusting === 2)
  expect(await laggards()).toEqual(['late', 'two'])
  await world.pass(4 * settleMs)
  expect(await status()).toMatchObject({ phase: 'Preparing', nodes: { total: 4, trusting: 2 } })
  expect(await issuerIn(client, kubelets.target)).toBe(old)
  late.on()
  await world.until('one node is waited for', async () => (await laggards()).join() === 'two')
  expect(await holds('two')).toEqual([old, 'admin'])
  expect(await issuerIn(client, kubelets.target)).toBe(old)
  world.reconnect('two')
  await world.until('the new CA signs', async () => {
    return (await issuerIn(client, kubelets.target)) === fresh
  })

  // One that still boots knows nobody: as long as that is so, the old CA stays, and all callers show the new certificate.
  const both = (await lane.nodes[0]!.read(nodePaths.kubeletCA))!
  const booting = await world.join('booting', both)
  await world.openDoor('booting')
  await world.pass(3 * settleMs)
  expect(await status()).toMatchObject({ phase: 'Completing' })
  expect((await holds('one')).sort()).toEqual([old, fresh, 'admin'].sort())

  // There, and back again.
  world.cut('three')
  await rotateBack(client, kubelets.signer, (await status()).current!.fingerprint)
  await world.until('the old CA is back', async () => (await signer()) === old)
  await world.pass(3 * settleMs)
  expect(await laggards()).toEqual(['booting'])
  expect(await issuerIn(client, kubelets.target)).toBe(fresh)
  booting.on()
  await world.until('the old CA signs', async () => {
    return (await issuerIn(client, kubelets.target)) === old
  })
  await world.until('others have forgotten the new one', async () => {
    return (await holds('one')).length === 2 && (await holds('booting')).length === 2
  })
  await world.until('one node still has it', async () => (await status()).nodes?.holdingOld === 1)
  expect(await status()).toMatchObject({ phase: 'Completing' })
  world.reconnect('three')
  await world.complete()
  await world.until('every kubelet has read its file again', () => {
    return prober.doors.every(({ loads }) => loads > 0)
  })
  await world.pass(settleMs)

  expect(prober.failures).toEqual([])
  expect(prober.phasesOf(old)).toEqual(
    expect.arrayContaining(['Completed', 'Preparing', 'Completing']),
  )
  expect(prober.phasesOf(fresh)).toEqual(expect.arrayContaining(['Completing', 'Preparing']))
  expect(prober.count).toBeGreaterThan(500)
  for (const { name } of lane.nodes) expect(await holds(name)).toEqual([old, 'admin'])
  const of = { bundle: 'openshift-kube-apiserver-operator/kube-apiserver-to-kubelet-client-ca' }
  expect(
    inspect(world.issued.written, {
      'openshift-kube-apiserver-operator/kube-apiserver-to-kubelet-signer': {
        ...of,
        purpose: 'authority',
        subject: /^CN=openshift-kube-apiserver-operator_kube-apiserver-to-kubelet-signer@\d+$/,
        hours: 8760,
        key: 'P-256',
      },
      'openshift-kube-apiserver/kubelet-client': {
        ...of,
        purpose: 'client',
        subject: /^CN=system:kube-apiserver,O=kube-master$/,
        hours: 720,
        key: 'P-256',
      },
    }),
  ).toEqual({
    faults: [],
    counts: {
      'openshift-kube-apiserver-operator/kube-apiserver-to-kubelet-signer': 2,
      'openshift-kube-apiserver/kubelet-client': 3,
    },
  })
})

describe('without evidence', () => {
  it('time alone decides, and a node that is behind turns callers away', async () => {
    const { trustedBy: _, ...spec } = wish.spec
    const [target] = spec.targets!
    const quick = { ...target!, validity: '720h', refresh: '10m' }
    await using world = await ProbedLane.open(
      { ...wish, spec: { ...spec, targets: [quick] } },
      holders,
    )
    const { lane, prober } = world
    const { client } = lane
    for (const name of ['one', 'two']) (await world.join(name)).on()
    await world.until('there is a certificate', async () => {
      const isThere = (await issuerIn(client, kubelets.target)) !== undefined
      const files = await Promise.all(lane.nodes.map((node) => node.read(nodePaths.kubeletCA)))
      return isThere && files.every((file) => file !== undefined)
    })
    for (const name of ['one', 'two']) await world.openDoor(name)
    const old = await issuerIn(client, kubelets.target)
    await world.pass(settleMs)
    expect(prober.failures).toEqual([])

    world.cut('two')
    await rotate(client, kubelets.signer)
    await world.lane.clock.advance(7 * 60_000)
    expect(await issuerIn(client, kubelets.target)).toBe(old)
    await world.until('the new CA signs', async () => {
      return (await issuerIn(client, kubelets.target)) !== old
    })
    await world.pass(settleMs)
    expect(prober.failures.length).toBeGreaterThan(0)
    const fresh = await issuerIn(client, kubelets.target)
    for (const failure of prober.failures) expect(failure).toMatch(`two, `)
    for (const failure of prober.failures) expect(failure).toContain(`, ${fresh}: `)
    world.reconnect('two')
    // Its daemon, and then its kubelet, have to notice.
    await world.pass(3 * settleMs)
    const before = prober.failures.length
    await world.pass(settleMs)
    expect(prober.failures.length).toBe(before)
  })
})
