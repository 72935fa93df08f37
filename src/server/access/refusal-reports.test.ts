import { describe, expect, it } from 'vitest'
import { createLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { ScriptedServer } from '@machinist/testing/servers/scripted-server'
import { RefusalReports } from './refusal-reports.ts'

function bench() {
  const clock = new VirtualClock()
  const metrics = new Metrics()
  const emitted: string[] = []
  const logged: string[] = []
  const warning = (about: object, reason: string, message: string): void => {
    emitted.push(`${(about as { name: string }).name} ${reason} ${message}`)
  }
  const log = createLogger({ clock, write: (line) => void logged.push(line) })
  const events = { normal: (): void => undefined, warning }
  const { client } = new ScriptedServer()
  const context = { client, clock, random: client.random, log, metrics, events }
  const poolOf = (name: string) =>
    name.startsWith('pool-') ? { kind: 'MachineConfigPool', name } : undefined
  return { clock, metrics, emitted, logged, reports: new RefusalReports(context, poolOf) }
}

describe('refusals', () => {
  it('are counted by reason', () => {
    const { metrics, reports } = bench()
    reports.report('pool-a', '10.0.0.5', 'UnknownToken')
    reports.report('pool-b', '10.0.0.6', 'UnknownToken')
    reports.report('other', '10.0.0.6', 'NoToken')
    expect(metrics.text()).toContain('machinist_server_refusals_total{reason="UnknownToken"} 2\n')
    expect(metrics.text()).toContain('machinist_server_refusals_total{reason="NoToken"} 1\n')
  })

  it('are one event per pool, reason and ten minutes', async () => {
    const { clock, emitted, logged, reports } = bench()
    for (let i = 0; i < 50; i++) reports.report('pool-a', `10.0.0.${i}`, 'NoToken')
    reports.report('pool-b', '10.0.0.5', 'NoToken')
    reports.report('pool-a', '10.0.0.5', 'UsedToken')
    expect(emitted).toEqual([
      'pool-a ConfigRefused refused a request for the config from 10.0.0.0: the request has no provisioning token. Start the machine with the current user data of the pool.',
      'pool-b ConfigRefused refused a request for the config from 10.0.0.5: the request has no provisioning token. Start the machine with the current user data of the pool.',
      'pool-a ConfigRefused refused a request for the config from 10.0.0.5: its provisioning token is for a single use and was used before. Create a token for each machine.',
    ])
    await clock.advance(599_999)
    reports.report('pool-a', '10.0.0.7', 'NoToken')
    expect(emitted).toHaveLength(3)
    await clock.advance(1)
    reports.report('pool-a', '10.0.0.8', 'NoToken')
    expect(emitted).toHaveLength(4)
    expect(JSON.parse(logged.at(-1)!)).toMatchObject({
      msg: 'refused a request for a config',
      pool: 'pool-a',
      address: '10.0.0.8',
      reason: 'NoToken',
      suppressed: 50,
    })
  })

  it('for pools that do not exist are no events, and one log line without the name', () => {
    const { emitted, logged, reports } = bench()
    for (let i = 0; i < 50; i++) reports.report(`guess-${i}`, '10.0.0.5', 'NoToken')
    expect(emitted).toEqual([])
    expect(logged).toHaveLength(1)
    expect(logged[0]).toContain('"pool":"unknown"')
    expect(logged[0]).not.toContain('guess')
  })
})
