import { afterAll, beforeAll, expect, it } from 'vitest'
import { isConflict } from '@machinist/kube/failure'
import type { StreamRequest, Transport } from '@machinist/kube/transport/transport'
import { delayedTransport } from '../../integration/signer/delayed-transport.ts'
import { ReportingLane } from '../../integration/signer/reporting-lane.ts'

/*
 * Two signers at once: a former leader does not know yet that it lost its lease. Some of its watches are delayed, so that it
 * decides on a combination of objects that never existed.
 */
let cluster: ReportingLane
/** The requests of the next signer whose responses are delayed. */
let isDelayed: (request: StreamRequest) => boolean = () => false
let longestDelayMs = 0
/** Writes with a stale resource version. */
let conflicts = 0

beforeAll(async () => {
  cluster = await ReportingLane.open((inner) => {
    const isSlow = isDelayed
    const delayOf = (request: StreamRequest): number => {
      const ms = isSlow(request) ? 3000 : 0
      longestDelayMs = Math.max(longestDelayMs, ms)
      return ms
    }
    const transport = delayedTransport(inner, cluster.lane.clock, delayOf)
    const request: Transport['request'] = (options) =>
      transport.request(options).catch((error: unknown) => {
        if (isConflict(error)) conflicts++
        throw error
      })
    return { ...transport, request }
  })
  cluster.lane.sign()
  await cluster.complete()
})
afterAll(() => cluster[Symbol.asyncDispose]())

it.each([
  ["the signer's Secret", 'kube-apiserver-to-kubelet-signer'],
  ['the bundle', 'kube-apiserver-to-kubelet-client-ca'],
  ['the published bundle', 'kube-apiserver-client-ca'],
  ['the certificate', 'kubelet-client'],
  ['the nodes', '/nodetrusts'],
  ['everything', ''],
] as const)('a second signer with a delayed watch of %s causes no harm', async (_, what) => {
  isDelayed = ({ path, query }) => `${path}?${String(query?.['fieldSelector'])}`.includes(what)
  longestDelayMs = 0
  conflicts = 0
  const second = cluster.lane.sign()
  const { expected, ...found } = await cluster.story(true)
  expect(found).toEqual({
    current: expected,
    issuer: expected,
    bundle: [expected],
    published: [expected],
  })
  await second.stop()
  expect(longestDelayMs).toBe(3000)
  expect(cluster.refusals).toEqual([])
  // The second signer did try to write.
  expect(conflicts).toBeGreaterThan(0)
})
