import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { toYaml } from '@machinist/core/encoding/yaml'
import { promtool } from './promtool.ts'
import type { RuleFile } from './rule-files.ts'
import { nameOf, waitMinutesOf } from './rule-files.ts'

/** Values by metric: a constant, or promtool's series notation. The key may have labels: `up{job="a"}`. */
export type SeriesValues = Readonly<Record<string, number | string>>

export interface AlertScenario {
  readonly name: string
  readonly series: readonly { readonly series: string; readonly values: string }[]
}

export interface Fired {
  readonly scenario: string
  /** `Name severity` */
  readonly alert: string
  /** Minutes after the start. */
  readonly at: number
  readonly labels: Readonly<Record<string, string>>
  /** As rendered by promtool. */
  readonly annotations: string
}

/** Minutes after which every alert that can fire has fired. */
export const end = 2 * 60

/** The alerts that fire in each scenario: at the end, and just before and after their `for` duration. */
export async function firing(
  program: string,
  directory: string,
  { name, rules, spec }: RuleFile,
  scenarios: readonly AlertScenario[],
): Promise<Fired[]> {
  const file = join(directory, `${name}.yaml`)
  const testFile = join(directory, `${name}.test.yaml`)
  writeFileSync(file, toYaml(spec))
  const evaluations = new Set(
    rules.flatMap((rule) => {
      const waitMinutes = waitMinutesOf(rule)
      const times = [waitMinutes - 1, waitMinutes, end].filter((minutes) => minutes >= 0)
      return times.map((minutes) => `${minutes}m ${rule.alert}`)
    }),
  )
  // Expect no alerts, so that promtool prints every alert that fires.
  const tests = Array.from(evaluations, (evaluation) => {
    const [eval_time, alertname] = evaluation.split(' ')
    return { eval_time, alertname, exp_alerts: [] }
  })
  const scenario = (of: AlertScenario) => ({
    name: of.name,
    interval: '1m',
    input_series: of.series,
    alert_rule_test: tests,
  })
  writeFileSync(testFile, toYaml({ rule_files: [file], tests: scenarios.map(scenario) }))
  const { output } = await promtool(program, 'test', 'rules', testFile)
  const known = new Set(rules.map(nameOf))
  return firedIn(output).filter(({ alert }) => known.has(alert))
}

/** A series with the labels of its key, and these as defaults. */
export function seriesOf(
  metric: string,
  value: number | string,
  labels: Readonly<Record<string, string>>,
): AlertScenario['series'][number] {
  const [, bare, own = ''] = /^(\w+)(?:\{(.*)\})?$/.exec(metric)!
  const all = { ...labels, ...labelsIn(own) }
  const text = Object.entries(all).map(([label, is]) => `${label}=${JSON.stringify(is)}`)
  const values = typeof value === 'number' ? `${value}x200` : value
  return { series: `${bare}{${text.join(',')}}`, values }
}

function firedIn(output: string): Fired[] {
  const fired: Fired[] = []
  let scenario = ''
  let at = 0
  let labels: Record<string, string> = {}
  for (const line of output.split('\n')) {
    scenario = /^ {4}name: (.*),$/.exec(line)?.[1] ?? scenario
    at = minutesIn(/^ {4}alertname: .*, time: (\w+), $/.exec(line)?.[1]) ?? at
    const [, labelText] = /^ {14}Labels:\{(.*)\}$/.exec(line) ?? []
    if (labelText !== undefined) labels = labelsIn(labelText)
    const [, annotations] = /^ {14}Annotations:\{(.*)\},?$/.exec(line) ?? []
    if (annotations === undefined) continue
    const alert = `${labels['alertname']} ${labels['severity']}`
    fired.push({ scenario, alert, at, labels, annotations })
  }
  return fired
}

const labelsIn = (text: string): Record<string, string> =>
  Object.fromEntries(
    Array.from(text.matchAll(/(\w+)=("(?:[^"\\]|\\.)*")/g), ([, label, is]) => [
      label!,
      JSON.parse(is!) as string,
    ]),
  )

/** `1h59m` */
function minutesIn(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const seconds = { d: 86_400, h: 3600, m: 60, s: 1 }
  const parts = Array.from(
    text.matchAll(/(\d+)([dhms])/g),
    ([, amount, unit]) => Number(amount) * seconds[unit as keyof typeof seconds],
  )
  return parts.reduce((sum, part) => sum + part, 0) / 60
}
