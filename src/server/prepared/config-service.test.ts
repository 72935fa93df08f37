import { describe, expect, it } from 'vitest'
import { Metrics } from '@machinist/core/metrics'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { parseAccept } from '../answer/accept.ts'
import { renderedConfig, serverState, token } from '../answer/state.fixture.ts'
import type { ServerState } from '../answer/state.ts'
import { Changes } from '../changes/changes.ts'
import { ConfigService } from './config-service.ts'
import { PreparedAnswers } from './prepared-answers.ts'

function service(state: ServerState | undefined) {
  const clock = new VirtualClock()
  const metrics = new Metrics()
  const answers = new PreparedAnswers()
  const changes = new Changes()
  const given: { state: ServerState | undefined; credential: string | undefined } = {
    state,
    credential: token,
  }
  const run = async (): Promise<void> => {}
  const subscribe = (changed: () => void) => changes.subscribe(changed)
  const configs = new ConfigService({
    source: { current: () => given.state, subscribe, run },
    credential: { usable: () => given.credential, subscribe, run },
    answers,
    clock,
    metrics,
  })
  return { configs, given, clock, metrics, answers, changes }
}

const any = parseAccept(undefined)

describe('the service', () => {
  it('finds configs', () => {
    const { configs } = service(serverState())
    expect(configs.find('worker', any)).toMatchObject({ type: 'config', version: '2.2' })
    expect(configs.find('other', any)).toMatchObject({ status: 404 })
    expect(configs.notReady()).toBeUndefined()
  })

  it('is not ready without a state or a credential', () => {
    expect(service(undefined).configs.notReady()).toBe('the state of the cluster is not known yet')
    expect(service(undefined).configs.find('worker', any)).toMatchObject({ reason: 'NotReady' })
    const { configs, given } = service(serverState())
    given.credential = undefined
    expect(configs.notReady()).toContain('no credential')
    given.state = serverState(renderedConfig(), { kubeconfig: { type: 'file', text: 'x' } })
    expect(configs.notReady()).toBeUndefined()
  })

  it('prepares answers at the start and after every change, before a request', async () => {
    const { configs, given, clock, metrics, answers, changes } = service(undefined)
    const stop = new AbortController()
    const ended = configs.run(stop.signal)
    await clock.advance(0)
    expect(answers.bytes).toBe(0)
    given.state = serverState()
    changes.notify()
    await clock.advance(0)
    expect(answers.bytes).toBeGreaterThan(0)
    expect(metrics.text()).toContain(`machinist_server_prepared_bytes ${answers.bytes}\n`)
    const found = configs.find('worker', parseAccept(accept('3.5.0')))
    given.credential = 'other'
    changes.notify()
    await clock.advance(0)
    expect(configs.find('worker', parseAccept(accept('3.5.0')))).not.toBe(found)
    stop.abort()
    await ended
  })

  it('exposes the age of the state', async () => {
    const { configs, clock, metrics, given } = service(undefined)
    given.state = serverState(renderedConfig(), { asOf: clock.now() })
    const stop = new AbortController()
    const ended = configs.run(stop.signal)
    await clock.advance(30_000)
    expect(configs.age()).toBe(30)
    expect(metrics.text()).toContain('machinist_server_state_age_seconds 30\n')
    stop.abort()
    await ended
  })
})

const accept = (version: string): string =>
  `application/vnd.coreos.ignition+json;version=${version}`
