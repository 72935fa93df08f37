import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseYaml, toYaml } from '../../src/base/yaml.ts'
import { findPromtool, promtool } from './promtool.ts'

const root = join(import.meta.dirname, '../..')
const path = join(root, 'deploy/monitoring/trust-rules.yaml')

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly for: string
  readonly labels: { readonly severity: string }
  readonly annotations: Readonly<Record<'summary' | 'description' | 'runbook', string>>
}
interface Rules {
  readonly apiVersion: string
  readonly kind: string
  readonly spec: { readonly groups: readonly { readonly rules: readonly Rule[] }[] }
}
const { spec, ...envelope } = parseYaml(readFileSync(path, 'utf8'), path) as Rules
const rules = spec.groups.flatMap((group) => group.rules)

describe('the alert rules', () => {
  it('are a PrometheusRule with these alerts', () => {
    expect(envelope).toMatchObject({
      apiVersion: 'monitoring.coreos.com/v1',
      kind: 'PrometheusRule',
    })
    expect(rules.map(({ alert, labels }) => `${alert} ${labels.severity}`)).toEqual([
      'MachinistTrustEndsIn30Days info',
      'MachinistTrustEndsIn14Days warning',
      'MachinistTrustEndsIn3Days critical',
      'MachinistTrustNodesLag warning',
      'MachinistTrustNodesFailed warning',
      'MachinistTrustUnwatched warning',
      'MachinistInputBad warning',
      'MachineConfigControllerPausedPoolKubeletCA warning',
      'MachineConfigControllerPausedPoolKubeletCA critical',
    ])
  })

  it('each have a page that says what to do', () => {
    for (const { alert, annotations } of rules) {
      expect(annotations.summary).not.toBe('')
      const page = join(root, annotations.runbook)
      expect(existsSync(page)).toBe(true)
      expect(readFileSync(page, 'utf8')).toContain(alert)
    }
  })

  it('ask for metrics that we have', () => {
    const sources = globSync('src/{operator,controllers}/**/*.ts', { cwd: root })
      .filter((file) => !file.endsWith('.test.ts'))
      .map((file) => readFileSync(join(root, file), 'utf8'))
      .join('\n')
    const asked = new Set(rules.flatMap(({ expr }) => expr.match(/\bmach[a-z]+_[a-z_]+/g) ?? []))
    expect([...asked].toSorted()).toEqual([
      'machine_config_controller_paused_pool_kubelet_ca',
      'machinist_operator_input_degraded',
      'machinist_trust_nodes',
      'machinist_trust_oldest_lag_seconds',
      'machinist_trust_runs_out_seconds',
    ])
    for (const metric of asked) expect(sources).toContain(`name: '${metric}'`)
  })
})

describe('promtool', () => {
  const directory = mkdtempSync(join(tmpdir(), 'machinist-rules-'))
  const file = join(directory, 'rules.yaml')
  let program: string | undefined
  let reason = ''
  beforeAll(async () => {
    ;({ program, reason } = await findPromtool())
    writeFileSync(file, toYaml(spec))
  })
  afterAll(() => rmSync(directory, { recursive: true }))

  it('understands them', async ({ skip }) => {
    if (program === undefined) return skip(`not checked by promtool: ${reason}`)
    const { ok, said } = await promtool(program, 'check', 'rules', file)
    expect(said).toContain('SUCCESS: 9 rules found')
    expect(ok).toBe(true)
  })

  const day = 86_400
  const values = (value: number): string => `${value}x200`
  const ends = (days: number): object => ({
    machinist_trust_runs_out_seconds: 7200 + days * day,
  })
  const paused = (days: number): object => ({
    machine_config_controller_paused_pool_kubelet_ca: days === 0 ? 0 : 7200 + days * day,
  })
  const lag = (seconds: number): object => ({ machinist_trust_oldest_lag_seconds: seconds })
  const held = 'MachineConfigControllerPausedPoolKubeletCA'

  /** What the metrics say for two hours, and what has fired then. */
  const cases: Record<string, readonly [metrics: object, ...fires: string[]]> = {
    '31 days left': [ends(31)],
    '29 days left': [ends(29), 'MachinistTrustEndsIn30Days info'],
    '13 days left': [ends(13), 'MachinistTrustEndsIn14Days warning'],
    '2 days left': [ends(2), 'MachinistTrustEndsIn3Days critical'],
    'a certificate that ended': [ends(-1), 'MachinistTrustEndsIn3Days critical'],
    'a node that lags for a minute': [lag(60)],
    'a node that lags for half an hour': [lag(1801), 'MachinistTrustNodesLag warning'],
    'a node that failed': [{ machinist_trust_nodes: 1 }, 'MachinistTrustNodesFailed warning'],
    'no node that failed': [{ machinist_trust_nodes: 0 }],
    'an input that is degraded': [
      { machinist_operator_input_degraded: 1 },
      'MachinistInputBad warning',
    ],
    'a good input': [{ machinist_operator_input_degraded: 0 }],
    'a pool that holds nothing': [paused(0)],
    'a pool that holds a CA with 20 days left': [paused(20), `${held} warning`],
    'a pool that holds one with 13 days left': [paused(13), `${held} critical`, `${held} warning`],
  }

  /** All in one world, told apart by their labels: promtool takes longer to start than to think. */
  const firing = async (input: readonly object[]): Promise<[of: string, alert: string][]> => {
    const alerts = [...new Set(rules.map(({ alert }) => alert))]
    const test = {
      interval: '1m',
      input_series: input,
      // Nothing is expected, so that it tells all that there is.
      alert_rule_test: alerts.map((alertname) => ({ eval_time: '2h', alertname, exp_alerts: [] })),
    }
    const tests = join(directory, 'tests.yaml')
    writeFileSync(tests, toYaml({ rule_files: [file], tests: [test] }))
    const { said } = await promtool(program!, 'test', 'rules', tests)
    return Array.from(said.matchAll(/Labels:\{(.*)\}$/gm), ([, labels = '']) => {
      const label = (names: string): string =>
        new RegExp(`(?:${names})="([^"]*)"`).exec(labels)?.[1] ?? ''
      return [label('item|input|pool'), `${label('alertname')} ${label('severity')}`]
    })
  }
  let fired: [of: string, alert: string][] = []
  beforeAll(async () => {
    if (program === undefined) return
    const input = Object.entries(cases).flatMap(([name, [metrics]]) =>
      Object.entries(metrics).map(([metric, value]) => ({
        series: `${metric}{item="${name}",input="${name}",pool="${name}",state="Failed"}`,
        values: values(value as number),
      })),
    )
    fired = await firing(input)
  })

  it.for(Object.keys(cases))('fires as it should: %s', (name, { skip }) => {
    if (program === undefined) return skip(`not checked by promtool: ${reason}`)
    const [, ...fires] = cases[name]!
    expect(fired.filter(([of]) => of === name).map(([, alert]) => alert)).toEqual(fires)
  })

  it('fires when there are no numbers at all', async ({ skip }) => {
    if (program === undefined) return skip(`not checked by promtool: ${reason}`)
    expect(await firing([])).toEqual([['', 'MachinistTrustUnwatched warning']])
  })
})
