import { describe, expect, it } from 'vitest'
import { ScriptedServer } from '@machinist/testing/servers/scripted-server'
import { createLogger } from '@machinist/core/log'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { isApprovalEnabled } from './approval-enabled.ts'

const version = { metadata: { name: 'version' } }
const request = 'GET /apis/config.openshift.io/v1/clusterversions/version'

function scene(server: ScriptedServer, approveRequests?: boolean) {
  const clock = new VirtualClock()
  const lines: string[] = []
  const log = createLogger({ clock, write: (line) => void lines.push(line) })
  const stop = new AbortController()
  const configured = approveRequests === undefined ? {} : { approveRequests }
  const { client } = server
  const decided = isApprovalEnabled({ client, clock, log }, configured, stop.signal)
  return { clock, lines, stop, decided }
}

describe('approval', () => {
  it.each([true, false])('is as configured: %s', async (approveRequests) => {
    const server = new ScriptedServer()
    expect(await scene(server, approveRequests).decided).toBe(approveRequests)
    expect(server.requests).toEqual([])
  })

  it('is disabled on OpenShift', async () => {
    const server = new ScriptedServer(version)
    const { decided, lines } = scene(server)
    expect(await decided).toBe(false)
    expect(server.requests).toEqual([request])
    expect(lines.join()).toContain('the cluster has a ClusterVersion, so OpenShift approves them')
  })

  it('is enabled on other clusters', async () => {
    const { decided, lines } = scene(new ScriptedServer([404, 'NotFound']))
    expect(await decided).toBe(true)
    expect(lines.join()).toContain('the cluster has no ClusterVersion')
  })

  it('is disabled without permission to read ClusterVersion', async () => {
    const { decided, lines } = scene(new ScriptedServer([403, 'Forbidden']))
    expect(await decided).toBe(false)
    expect(lines.join()).toContain('allow the signer to get clusterversions.config.openshift.io')
  })

  it('is determined with retries', async () => {
    const server = new ScriptedServer([500, 'InternalError'], [503, 'Busy'], [404, 'NotFound'])
    const { decided, clock } = scene(server)
    await clock.advance(4999)
    expect(server.requests).toHaveLength(1)
    await clock.advance(5001)
    expect(await decided).toBe(true)
    expect(server.requests).toEqual([request, request, request])
  })

  it('is not determined after the stop', async () => {
    const { decided, clock, stop } = scene(new ScriptedServer([500, 'InternalError']))
    await clock.advance(0)
    stop.abort()
    expect(await decided).toBe(false)
  })
})
