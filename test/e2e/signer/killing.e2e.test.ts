import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Transport } from '@machinist/kube/transport/transport'
import { createAuthority, validFor } from '@machinist/pki/issue'
import type { Part } from '../../integration/trust/whole-lane.ts'
import type { Fate } from '../../integration/signer/cuttable-transport.ts'
import { CuttableTransport } from '../../integration/signer/cuttable-transport.ts'
import { inspect } from '../../integration/signer/inspection.ts'
import { ReportingLane } from '../../integration/signer/reporting-lane.ts'

/*
 * The signer is killed at each of its writes, once before and once after the API server has received the write, while a CA
 * rotates and rotates back. The rotation completes nevertheless, and no client is ever refused.
 */
let cluster: ReportingLane
let signer: Part
/** Whether writes kill the signer. */
let isKilling = false
/** The write that ended each signer: `PUT secrets/x, lost` or `…, done`. */
const ends: string[] = []
const lost = new Set<string>()
let killings = Promise.resolve()

beforeAll(async () => {
  cluster = await ReportingLane.open(killingTransport)
  signer = cluster.lane.sign()
  await cluster.complete()
})
afterAll(() => cluster[Symbol.asyncDispose]())

/** Each signer ends with its first write: it is lost the first time, and done without a response the next time. */
function killingTransport(inner: Transport): CuttableTransport {
  const fate = (write: string): Fate | undefined => {
    if (!isKilling) return undefined
    const is = lost.delete(write) ? 'done' : 'lost'
    if (is === 'lost') lost.add(write)
    ends.push(`${write}, ${is}`)
    return is
  }
  return new CuttableTransport(inner, fate, () => {
    killings = killings.then(restartSigner)
  })
}

async function restartSigner(): Promise<void> {
  await signer.stop()
  signer = cluster.lane.sign()
}

/** The writes that every rotation needs. */
const needed = [
  'PUT secrets/kube-apiserver-to-kubelet-signer',
  'PUT configmaps/kube-apiserver-to-kubelet-client-ca',
  'PUT configmaps/kube-apiserver-client-ca',
  'PUT secrets/kubelet-client',
  'PUT kube-apiserver-to-kubelet/status',
]

it.each([
  ['rotates', false],
  ['rotates back', true],
] as const)('a signer that %s may be killed at each of its writes', async (_, back) => {
  ends.length = 0
  isKilling = true
  await restartSigner()
  const { expected, ...found } = await cluster.story(back)
  expect(found).toEqual({
    current: expected,
    issuer: expected,
    bundle: [expected],
    published: [expected],
  })
  isKilling = false
  await killings
  await restartSigner()
  expect(ends).toEqual(
    expect.arrayContaining(needed.flatMap((write) => [`${write}, lost`, `${write}, done`])),
  )
  // CAs are added and removed in both directions.
  const writes = ends.filter((end) => end.endsWith(', done') && !end.includes('/status'))
  expect(writes.length).toBeGreaterThan(back ? 8 : 5)
  expect(cluster.refusals).toEqual([])
})

it('the nodes report a refused client', async () => {
  const validity = validFor(cluster.lane.clock, 3_600_000)
  const stranger = await createAuthority({ name: 'stranger', validity })
  expect(cluster.nodes.refusals(stranger)).toEqual(
    ['one', 'two', 'three'].map(
      (name) => `${name}: certificate "stranger" is not trusted: no trusted certificate issued it`,
    ),
  )
})

it('openssl accepts everything that the signer has written', () => {
  const bundle = 'openshift-kube-apiserver-operator/kube-apiserver-to-kubelet-client-ca'
  const of = { bundle, key: 'P-256' } as const
  const { faults, counts } = inspect(cluster.issued.written, {
    'openshift-kube-apiserver-operator/kube-apiserver-to-kubelet-signer': {
      ...of,
      purpose: 'authority',
      subject: /^CN=openshift-kube-apiserver-operator_kube-apiserver-to-kubelet-signer@\d+$/,
      hours: 8760,
    },
    'openshift-kube-apiserver/kubelet-client': {
      ...of,
      purpose: 'client',
      subject: /^CN=system:kube-apiserver,O=kube-master$/,
      hours: 720,
    },
  })
  expect(faults).toEqual([])
  expect(Object.keys(counts)).toHaveLength(2)
})
