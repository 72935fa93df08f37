import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseYaml, toYaml } from '../../src/base/yaml.ts'
import { findPromtool, promtool } from './promtool.ts'

const root = join(import.meta.dirname, '../..')

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

/** What one file of rules has to be like. */
export interface ExpectedRules {
  /** In deploy/monitoring. */
  readonly file: string
  /** In its order: `Name severity`. */
  readonly alerts: readonly string[]
  /** What they ask for, sorted. */
  readonly metrics: readonly string[]
  /** Where those who tell these numbers are. */
  readonly sources: string
  /** By what labels its alerts and its metrics are told apart, and what else its metrics carry. */
  readonly names: readonly string[]
  readonly labels?: Readonly<Record<string, string>>
  /** What the metrics say for two hours, and what has fired then. Numbers stay; a text is in promtool's notation. */
  readonly cases: Readonly<Record<string, readonly [Numbers, ...fires: string[]]>>
  /** What fires where nobody tells any number. */
  readonly whenSilent: string
}

/** A metric may come with a label or two of its own: `metric{kind="signer"}`. */
export type Numbers = Readonly<Record<string, number | string>>

export function describeAlertRules(expected: ExpectedRules): void {
  const { file: name, alerts, metrics, sources, names, labels = {}, cases, whenSilent } = expected
  const path = join(root, 'deploy/monitoring', name)
  const { spec, ...envelope } = parseYaml(readFileSync(path, 'utf8'), path) as Rules
  const rules = spec.groups.flatMap((group) => group.rules)

  describe('the alert rules', () => {
    it('are a PrometheusRule with these alerts', () => {
      expect(envelope).toMatchObject({
        apiVersion: 'monitoring.coreos.com/v1',
        kind: 'PrometheusRule',
      })
      expect(rules.map(({ alert, labels }) => `${alert} ${labels.severity}`)).toEqual(alerts)
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
      const code = globSync(sources, { cwd: root })
        .filter((file) => !file.endsWith('.test.ts'))
        .map((file) => readFileSync(join(root, file), 'utf8'))
        .join('\n')
      const asked = new Set(rules.flatMap(({ expr }) => expr.match(/\bmach[a-z]+_[a-z_]+/g) ?? []))
      expect([...asked].toSorted()).toEqual(metrics)
      expect(metrics.filter((metric) => !code.includes(`name: '${metric}'`))).toEqual([])
    })
  })

  describe('promtool', () => {
    const directory = mkdtempSync(join(tmpdir(), 'machinist-rules-'))
    const file = join(directory, 'rules.yaml')
    let program: string | undefined
    let reason = ''
    let fired: Fired[] = []
    beforeAll(async () => {
      ;({ program, reason } = await findPromtool())
      writeFileSync(file, toYaml(spec))
      if (program !== undefined) fired = await firing(seriesOf(cases))
    })
    afterAll(() => rmSync(directory, { recursive: true }))

    it('understands them', async ({ skip }) => {
      if (program === undefined) return skip(`not checked by promtool: ${reason}`)
      const { ok, said } = await promtool(program, 'check', 'rules', file)
      expect(said).toContain(`SUCCESS: ${rules.length} rules found`)
      expect(ok).toBe(true)
    })

    it.for(Object.keys(cases))('fires as it should: %s', (name, { skip }) => {
      if (program === undefined) return skip(`not checked by promtool: ${reason}`)
      const [, ...fires] = cases[name]!
      expect(fired.filter(([of]) => of === name).map(([, alert]) => alert)).toEqual(fires)
    })

    it('fires when there are no numbers at all', async ({ skip }) => {
      if (program === undefined) return skip(`not checked by promtool: ${reason}`)
      expect(await firing([])).toEqual([['', whenSilent]])
    })

    type Fired = readonly [of: string, alert: string]

    /** All in one world, told apart by their labels: promtool takes longer to start than to think. */
    function seriesOf(told: ExpectedRules['cases']): object[] {
      return Object.entries(told).flatMap(([name, [numbers]]) =>
        Object.entries(numbers).map(([metric, value]) => {
          const [, bare, own = ''] = /^(\w+)(?:\{(.*)\})?$/.exec(metric)!
          const common = { ...labels, ...Object.fromEntries(names.map((label) => [label, name])) }
          const all = Object.entries(common).map(([label, text]) => `${label}="${text}"`)
          const values = typeof value === 'number' ? `${value}x200` : value
          return { series: `${bare}{${[...all, ...(own ? [own] : [])].join(',')}}`, values }
        }),
      )
    }

    async function firing(input: readonly object[]): Promise<Fired[]> {
      const test = {
        interval: '1m',
        input_series: input,
        // Nothing is expected, so that it tells all that there is.
        alert_rule_test: [...new Set(rules.map(({ alert }) => alert))].map((alertname) => ({
          eval_time: '2h',
          alertname,
          exp_alerts: [],
        })),
      }
      const tests = join(directory, 'tests.yaml')
      writeFileSync(tests, toYaml({ rule_files: [file], tests: [test] }))
      const { said } = await promtool(program!, 'test', 'rules', tests)
      return Array.from(said.matchAll(/Labels:\{(.*)\}$/gm), ([, text = '']): Fired => {
        const label = (which: string): string =>
          new RegExp(`\\b(?:${which})="([^"]*)"`).exec(text)?.[1] ?? ''
        return [label(names.join('|')), `${label('alertname')} ${label('severity')}`]
      })
    }
  })
}
