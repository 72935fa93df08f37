import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Transport } from '@machinist/kube/transport'
import { createAuthority, validFor } from '@machinist/pki/issue'
import type { Part } from '../../integration/trust/whole-lane.ts'
import type { Fate } from '../../integration/signer/cut-line.ts'
import { CutLine } from '../../integration/signer/cut-line.ts'
import { inspect } from '../../integration/signer/inspection.ts'
import { TellingLane } from '../../integration/signer/telling-lane.ts'

/*
 * The signer is killed at each of its writes, once before and once after it has arrived, while a CA rotates and rotates back.
 * It comes to its end all the same, and nobody is ever turned away.
 */
let world: TellingLane
let signer: Part
/** Whether the signer has to die at all. */
let isMortal = false
/** With which write each life ended: `PUT secrets/x, lost` or `…, done`. */
const ends: string[] = []
const lost = new Set<string>()
let killings = Promise.resolve()

beforeAll(async () => {
  world = await TellingLane.open(mortal)
  signer = world.lane.sign()
  await world.complete()
})
afterAll(() => world[Symbol.asyncDispose]())

/** Each life ends with its first write: that is lost the first time, and done the next time, but nobody hears of it. */
function mortal(inner: Transport): CutLine {
  const fate = (write: string): Fate | undefined => {
    if (!isMortal) return undefined
    const is = lost.delete(write) ? 'done' : 'lost'
    if (is === 'lost') lost.add(write)
    ends.push(`${write}, ${is}`)
    return is
  }
  return new CutLine(inner, fate, () => {
    killings = killings.then(anotherLife)
  })
}

async function anotherLife(): Promise<void> {
  await signer.stop()
  signer = world.lane.sign()
}

/** What has to be written for a rotation at least. */
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
  isMortal = true
  await anotherLife()
  const { wanted, ...found } = await world.story(back)
  expect(found).toEqual({ current: wanted, issuer: wanted, bundle: [wanted], published: [wanted] })
  isMortal = false
  await killings
  await anotherLife()
  expect(ends).toEqual(
    expect.arrayContaining(needed.flatMap((write) => [`${write}, lost`, `${write}, done`])),
  )
  // CAs come and go, there as well as back.
  const writes = ends.filter((end) => end.endsWith(', done') && !end.includes('/status'))
  expect(writes.length).toBeGreaterThan(back ? 8 : 5)
  expect(world.refusals).toEqual([])
})

it('whoever looks would have told of somebody who is turned away', async () => {
  const validity = validFor(world.lane.clock, 3_600_000)
  const stranger = await createAuthority({ name: 'stranger', validity })
  expect(world.nodes.refusals(stranger)).toEqual(
    ['one', 'two', 'three'].map(
      (name) => `${name}: certificate "stranger" is not trusted: no trusted one issued it`,
    ),
  )
})

it('has written nothing that openssl would not take', () => {
  const bundle = 'openshift-kube-apiserver-operator/kube-apiserver-to-kubelet-client-ca'
  const of = { bundle, key: 'P-256' } as const
  const { faults, counts } = inspect(world.issued.written, {
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
