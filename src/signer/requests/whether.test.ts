import { describe, expect, it } from 'vitest'
import { AnsweringServer } from '@machinist/testing/answering-server'
import { createLogger } from '@machinist/core/log'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { whetherToApprove } from './whether.ts'

const version = { metadata: { name: 'version' } }
const asked = 'GET /apis/config.openshift.io/v1/clusterversions/version'

function scene(server: AnsweringServer, approveRequests?: boolean) {
  const clock = new VirtualClock()
  const lines: string[] = []
  const log = createLogger({ clock, write: (line) => void lines.push(line) })
  const stop = new AbortController()
  const said = approveRequests === undefined ? {} : { approveRequests }
  const decided = whetherToApprove({ client: server.client, clock, log, ...said }, stop.signal)
  return { clock, lines, stop, decided }
}

describe('whether requests are approved', () => {
  it.each([true, false])('as it was said: %s', async (approveRequests) => {
    const server = new AnsweringServer()
    expect(await scene(server, approveRequests).decided).toBe(approveRequests)
    expect(server.asked).toEqual([])
  })

  it('not on OpenShift', async () => {
    const server = new AnsweringServer(version)
    const { decided, lines } = scene(server)
    expect(await decided).toBe(false)
    expect(server.asked).toEqual([asked])
    expect(lines.join()).toContain('there is a ClusterVersion, so OpenShift approves them')
  })

  it('elsewhere', async () => {
    const { decided, lines } = scene(new AnsweringServer([404, 'NotFound']))
    expect(await decided).toBe(true)
    expect(lines.join()).toContain('there is no ClusterVersion')
  })

  it('not where nobody may tell', async () => {
    const { decided, lines } = scene(new AnsweringServer([403, 'Forbidden']))
    expect(await decided).toBe(false)
    expect(lines.join()).toContain('let the signer get clusterversions.config.openshift.io')
  })

  it('is asked again until there is an answer', async () => {
    const server = new AnsweringServer([500, 'InternalError'], [503, 'Busy'], [404, 'NotFound'])
    const { decided, clock } = scene(server)
    await clock.advance(4999)
    expect(server.asked).toHaveLength(1)
    await clock.advance(5001)
    expect(await decided).toBe(true)
    expect(server.asked).toEqual([asked, asked, asked])
  })

  it('is not asked any more after the stop', async () => {
    const { decided, clock, stop } = scene(new AnsweringServer([500, 'InternalError']))
    await clock.advance(0)
    stop.abort()
    expect(await decided).toBe(false)
  })
})
