import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { toYaml } from '@machinist/core/yaml'
import { promtool } from './promtool.ts'
import type { RuleFile } from './rule-files.ts'
import { nameOf, patienceOf } from './rule-files.ts'

/** What one metric says all the time: a number, or promtool's notation. Labels may follow its name: `up{job="a"}`. */
export type Numbers = Readonly<Record<string, number | string>>

export interface World {
  readonly name: string
  readonly series: readonly { readonly series: string; readonly values: string }[]
}

export interface Fired {
  readonly world: string
  /** `Name severity` */
  readonly alert: string
  /** After so many minutes. */
  readonly at: number
  readonly labels: Readonly<Record<string, string>>
  /** As they are shown. */
  readonly annotations: string
}

/** Until then all that can fire has fired. */
export const end = 2 * 60

/** What fires in each of these worlds: at the end, just before its time, and when that has come. */
export async function firing(
  program: string,
  directory: string,
  { name, rules, spec }: RuleFile,
  worlds: readonly World[],
): Promise<Fired[]> {
  const file = join(directory, `${name}.yaml`)
  const tests = join(directory, `${name}.test.yaml`)
  writeFileSync(file, toYaml(spec))
  const looks = new Set(
    rules.flatMap((rule) => {
      const patience = patienceOf(rule)
      const times = [patience - 1, patience, end].filter((minutes) => minutes >= 0)
      return times.map((minutes) => `${minutes}m ${rule.alert}`)
    }),
  )
  // Nothing is expected, so that it tells all that there is.
  const asked = Array.from(looks, (look) => {
    const [eval_time, alertname] = look.split(' ')
    return { eval_time, alertname, exp_alerts: [] }
  })
  const world = (of: World) => ({
    name: of.name,
    interval: '1m',
    input_series: of.series,
    alert_rule_test: asked,
  })
  writeFileSync(tests, toYaml({ rule_files: [file], tests: worlds.map(world) }))
  const { said } = await promtool(program, 'test', 'rules', tests)
  const known = new Set(rules.map(nameOf))
  return firedIn(said).filter(({ alert }) => known.has(alert))
}

/** A series whose labels are its own, and these for the rest. */
export function seriesOf(
  metric: string,
  value: number | string,
  labels: Readonly<Record<string, string>>,
): World['series'][number] {
  const [, bare, own = ''] = /^(\w+)(?:\{(.*)\})?$/.exec(metric)!
  const all = { ...labels, ...labelsIn(own) }
  const text = Object.entries(all).map(([label, is]) => `${label}=${JSON.stringify(is)}`)
  const values = typeof value === 'number' ? `${value}x200` : value
  return { series: `${bare}{${text.join(',')}}`, values }
}

function firedIn(said: string): Fired[] {
  const fired: Fired[] = []
  let world = ''
  let at = 0
  let labels: Record<string, string> = {}
  for (const line of said.split('\n')) {
    world = /^ {4}name: (.*),$/.exec(line)?.[1] ?? world
    at = minutesIn(/^ {4}alertname: .*, time: (\w+), $/.exec(line)?.[1]) ?? at
    const [, labelText] = /^ {14}Labels:\{(.*)\}$/.exec(line) ?? []
    if (labelText !== undefined) labels = labelsIn(labelText)
    const [, annotations] = /^ {14}Annotations:\{(.*)\},?$/.exec(line) ?? []
    if (annotations === undefined) continue
    const alert = `${labels['alertname']} ${labels['severity']}`
    fired.push({ world, alert, at, labels, annotations })
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
