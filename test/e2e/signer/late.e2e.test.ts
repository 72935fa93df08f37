import { afterAll, beforeAll, expect, it } from 'vitest'
import { isConflict } from '@machinist/kube/failure'
import type { StreamRequest, Transport } from '@machinist/kube/transport'
import { lateLine } from '../../integration/signer/late-line.ts'
import { TellingLane } from '../../integration/signer/telling-lane.ts'

/*
 * Two signers at once, because the one that led before does not know yet that it does not any more: what it hears about one
 * thing or another comes late, so that it decides on what was never there at the same time.
 */
let world: TellingLane
/** Of what the next signer hears late; nothing: all in its time. */
let isLate: (request: StreamRequest) => boolean = () => false
let mostLate = 0
/** How often somebody wanted to write what was no longer so. */
let conflicts = 0

beforeAll(async () => {
  world = await TellingLane.open((inner) => {
    const late = isLate
    const lateMs = (request: StreamRequest): number => {
      const ms = late(request) ? 3000 : 0
      mostLate = Math.max(mostLate, ms)
      return ms
    }
    const line = lateLine(inner, world.lane.clock, lateMs)
    const request: Transport['request'] = (asked) =>
      line.request(asked).catch((error: unknown) => {
        if (isConflict(error)) conflicts++
        throw error
      })
    return { ...line, request }
  })
  world.lane.sign()
  await world.complete()
})
afterAll(() => world[Symbol.asyncDispose]())

it.each([
  ["the signer's Secret", 'kube-apiserver-to-kubelet-signer'],
  ['the bundle', 'kube-apiserver-to-kubelet-client-ca'],
  ['what is published', 'kube-apiserver-client-ca'],
  ['the certificate', 'kubelet-client'],
  ['the nodes', '/nodetrusts'],
  ['everything', ''],
] as const)('a second signer that hears late of %s spoils nothing', async (_, what) => {
  isLate = ({ path, query }) => `${path}?${String(query?.['fieldSelector'])}`.includes(what)
  mostLate = 0
  conflicts = 0
  const second = world.lane.sign()
  const { wanted, ...found } = await world.story(true)
  expect(found).toEqual({ current: wanted, issuer: wanted, bundle: [wanted], published: [wanted] })
  await second.stop()
  expect(mostLate).toBe(3000)
  expect(world.refusals).toEqual([])
  // It did try.
  expect(conflicts).toBeGreaterThan(0)
})
