import { describe, expect, it } from 'vitest'
import { nodePaths } from '../../../src/api/node-paths.ts'
import {
  certificateIn,
  commonNames,
  issuerIn,
  rotate,
  rotateBack,
  statusOf,
} from '../../integration/signer/rotation-operations.ts'
import { inspect } from '../../integration/signer/inspection.ts'
import { ProbedLane } from '../../integration/signer/probed-lane.ts'
import { kubeletRotation, kubelets, quick } from '../../integration/signer/rotations.ts'

/*
 * Kubelets with real TLS servers and real certificates: they accept every client at every moment of a rotation and of the
 * rotation back, whatever happens to nodes meanwhile.
 */
const settleMs = 60_000
/**
 * One client loads a new certificate at once, another one later. Clients with persistent connections read their files every
 * five minutes, as kube-apiserver does.
 */
const holders = { lagsMs: [0, settleMs - 15_000], deliveryMs: 30_000 }

const rotationObject = quick(kubeletRotation({ settle: '1m' }))

it('kubelets refuse no client while a CA rotates and rotates back', async () => {
  await using cluster = await ProbedLane.open(rotationObject, holders)
  const { lane, prober, rotation } = cluster
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

  for (const name of ['one', 'two', 'three']) (await cluster.join(name)).on()
  await cluster.until('all nodes trust the CA', async () => (await status()).nodes?.trusting === 3)
  await cluster.complete()
  for (const name of ['one', 'two', 'three']) await cluster.startKubelet(name)
  const old = await signer()
  expect(await holds('two')).toEqual([old, 'admin'])
  const installed = (await lane.nodes[0]!.read(nodePaths.kubeletCA))!
  await cluster.pass(settleMs)

  // One node is disconnected at the start, and one joins with the CAs of an old image.
  cluster.cut('two')
  await rotate(client, kubelets.signer)
  await cluster.until('there is a new CA', async () => (await signer()) !== old)
  const late = await cluster.join('late', installed)
  await cluster.startKubelet('late')
  const fresh = await signer()
  await cluster.until('two nodes have it', async () => (await status()).nodes?.trusting === 2)
  expect(await laggards()).toEqual(['late', 'two'])
  await cluster.pass(4 * settleMs)
  expect(await status()).toMatchObject({ phase: 'Preparing', nodes: { total: 4, trusting: 2 } })
  expect(await issuerIn(client, kubelets.target)).toBe(old)
  late.on()
  await cluster.until('one node is missing', async () => (await laggards()).join() === 'two')
  expect(await holds('two')).toEqual([old, 'admin'])
  expect(await issuerIn(client, kubelets.target)).toBe(old)
  cluster.reconnect('two')
  await cluster.until('the new CA signs', async () => {
    return (await issuerIn(client, kubelets.target)) === fresh
  })

  // A node that still boots has reported nothing: until it does, the old CA stays, and all clients use the new certificate.
  const both = (await lane.nodes[0]!.read(nodePaths.kubeletCA))!
  const booting = await cluster.join('booting', both)
  await cluster.startKubelet('booting')
  await cluster.pass(3 * settleMs)
  expect(await status()).toMatchObject({ phase: 'Completing' })
  expect((await holds('one')).sort()).toEqual([old, fresh, 'admin'].sort())

  // The rotation back.
  cluster.cut('three')
  await rotateBack(client, kubelets.signer, (await status()).current!.fingerprint)
  await cluster.until('the old CA is back', async () => (await signer()) === old)
  await cluster.pass(3 * settleMs)
  expect(await laggards()).toEqual(['booting'])
  expect(await issuerIn(client, kubelets.target)).toBe(fresh)
  booting.on()
  await cluster.until('the old CA signs', async () => {
    return (await issuerIn(client, kubelets.target)) === old
  })
  await cluster.until('the other nodes have removed the new CA', async () => {
    return (await holds('one')).length === 2 && (await holds('booting')).length === 2
  })
  await cluster.until(
    'one node still has the new CA',
    async () => (await status()).nodes?.holdingOld === 1,
  )
  expect(await status()).toMatchObject({ phase: 'Completing' })
  cluster.reconnect('three')
  await cluster.complete()
  await cluster.until('every kubelet has read its file again', () => {
    return prober.servers.every(({ loads }) => loads > 0)
  })
  await cluster.pass(settleMs)

  expect(prober.failures).toEqual([])
  expect(prober.phasesOf(old)).toEqual(
    expect.arrayContaining(['Completed', 'Preparing', 'Completing']),
  )
  expect(prober.phasesOf(fresh)).toEqual(expect.arrayContaining(['Completing', 'Preparing']))
  expect(prober.count).toBeGreaterThan(500)
  for (const { name } of lane.nodes) expect(await holds(name)).toEqual([old, 'admin'])
  const of = { bundle: 'openshift-kube-apiserver-operator/kube-apiserver-to-kubelet-client-ca' }
  expect(
    inspect(cluster.issued.written, {
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
  it('only time decides, and a node that is behind refuses clients', async () => {
    const { trustedBy: _, ...spec } = rotationObject.spec
    const [target] = spec.targets!
    const quick = { ...target!, validity: '720h', refresh: '10m' }
    await using cluster = await ProbedLane.open(
      { ...rotationObject, spec: { ...spec, targets: [quick] } },
      holders,
    )
    const { lane, prober } = cluster
    const { client } = lane
    for (const name of ['one', 'two']) (await cluster.join(name)).on()
    await cluster.until('there is a certificate', async () => {
      const isThere = (await issuerIn(client, kubelets.target)) !== undefined
      const files = await Promise.all(lane.nodes.map((node) => node.read(nodePaths.kubeletCA)))
      return isThere && files.every((file) => file !== undefined)
    })
    for (const name of ['one', 'two']) await cluster.startKubelet(name)
    const old = await issuerIn(client, kubelets.target)
    await cluster.pass(settleMs)
    expect(prober.failures).toEqual([])

    cluster.cut('two')
    await rotate(client, kubelets.signer)
    await cluster.lane.clock.advance(7 * 60_000)
    expect(await issuerIn(client, kubelets.target)).toBe(old)
    await cluster.until('the new CA signs', async () => {
      return (await issuerIn(client, kubelets.target)) !== old
    })
    await cluster.pass(settleMs)
    expect(prober.failures.length).toBeGreaterThan(0)
    const fresh = await issuerIn(client, kubelets.target)
    for (const failure of prober.failures) expect(failure).toMatch(`two, `)
    for (const failure of prober.failures) expect(failure).toContain(`, ${fresh}: `)
    cluster.reconnect('two')
    // The daemon writes the file, and then the kubelet reads it.
    await cluster.pass(3 * settleMs)
    const before = prober.failures.length
    await cluster.pass(settleMs)
    expect(prober.failures.length).toBe(before)
  })
})
