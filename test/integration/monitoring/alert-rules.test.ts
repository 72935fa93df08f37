import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { componentCases } from './cases/component.ts'
import { daemonCases } from './cases/daemon.ts'
import { nodeCases } from './cases/node.ts'
import { poolCases } from './cases/pool.ts'
import { requestCases } from './cases/request.ts'
import { rotationCases } from './cases/rotation.ts'
import type { Case, RuleCases } from './cases/rule-cases.ts'
import { serverCases } from './cases/server.ts'
import { trustCases } from './cases/trust.ts'
import type { AlertScenario, Fired } from './firing.ts'
import { end, firing, seriesOf } from './firing.ts'
import { findProgram } from './promtool.ts'
import { nameOf, waitMinutesOf, ruleFiles } from './rule-files.ts'

const all: readonly RuleCases[] = [
  componentCases,
  daemonCases,
  nodeCases,
  poolCases,
  requestCases,
  rotationCases,
  serverCases,
  trustCases,
]
const files = ruleFiles()
const { program, reason } = await findProgram('promtool')
const directory = mkdtempSync(join(tmpdir(), 'machinist-rules-'))
afterAll(() => rmSync(directory, { recursive: true }))

it('every rule file has cases', () => {
  expect(files.map(({ name }) => name)).toEqual(all.map(({ file }) => file))
})

describe.for(all)('the rules in $file-rules.yaml', (expected) => {
  const { names, labels = {}, cases, alone = {}, whenSilent } = expected
  const file = files.find(({ name }) => name === expected.file)!
  let fired: readonly Fired[] = []
  const firedIn = (scenario: string): Fired[] => fired.filter((each) => each.scenario === scenario)
  const atTheEnd = (some: readonly Fired[]): string[] =>
    some.filter(({ at }) => at === end).map(({ alert }) => alert)

  beforeAll(async () => {
    if (program === undefined) return
    const scenarios = [
      { name: 'shared', series: Object.entries(cases).flatMap((each) => seriesIn(each)) },
      ...Object.entries(alone).map((each) => ({ name: each[0], series: seriesIn(each) })),
      { name: 'silent', series: [] },
    ]
    fired = await firing(program, directory, file, scenarios)
  })

  it('are a PrometheusRule with these alerts', () => {
    expect(file.envelope).toMatchObject({
      apiVersion: 'monitoring.coreos.com/v1',
      kind: 'PrometheusRule',
      metadata: { namespace: 'openshift-machine-config-operator' },
    })
    expect(file.rules.map(nameOf)).toEqual(expected.alerts)
  })

  it.for(Object.entries(cases))('fire as expected: %s', ([name, [numbers, ...fires]], { skip }) => {
    if (program === undefined) return skip(`not checked by promtool: ${reason}`)
    const ours = firedIn('shared').filter((each) =>
      names.some((label) => each.labels[label] === name),
    )
    expect(atTheEnd(ours)).toEqual(fires)
    expect(untimely(ours, numbers)).toEqual([])
  })

  it.for(Object.entries(alone))('fire as expected: %s', ([name, [numbers, ...fires]], { skip }) => {
    if (program === undefined) return skip(`not checked by promtool: ${reason}`)
    expect(atTheEnd(firedIn(name))).toEqual(fires)
    expect(untimely(firedIn(name), numbers)).toEqual([])
  })

  it('fire when there are no metrics at all', ({ skip }) => {
    if (program === undefined) return skip(`not checked by promtool: ${reason}`)
    expect(atTheEnd(firedIn('silent'))).toEqual(whenSilent)
    expect(untimely(firedIn('silent'), {})).toEqual([])
  })

  it('all fire in some case, with complete texts', ({ skip }) => {
    if (program === undefined) return skip(`not checked by promtool: ${reason}`)
    expect(new Set(atTheEnd(fired))).toEqual(new Set(expected.alerts))
    expect(fired.flatMap((each) => missingText(each))).toEqual([])
  })

  /** Gaps in the rendered texts, and labels that the alert lacks. */
  function missingText({ alert, annotations, labels: has }: Fired): string[] {
    const { summary, description } = file.rules.find((rule) => nameOf(rule) === alert)!.annotations
    const asked = Array.from(
      `${summary} ${description}`.matchAll(/\$labels\.(\w+)/g),
      ([, label]) => label!,
    )
    const gaps = annotations.match(/<no value>|<error|%!|\{\{/g) ?? []
    return [...gaps, ...asked.filter((label) => !(label in has))].map((gap) => `${alert}: ${gap}`)
  }

  /** Alerts that fire before their `for` duration; or not right after it, where the series are constant. */
  function untimely(ours: readonly Fired[], numbers: Case[0]): string[] {
    const isSteady = Object.values(numbers).every((value) => typeof value === 'number')
    return [...new Set(atTheEnd(ours))].filter((alert) => {
      const waitMinutes = waitMinutesOf(file.rules.find((rule) => nameOf(rule) === alert)!)
      const times = ours.filter((each) => each.alert === alert).map(({ at }) => at)
      return times.some((at) => at < waitMinutes) || (isSteady && !times.includes(waitMinutes))
    })
  }

  /** All cases share one run and are distinguished by labels: starting promtool takes longer than evaluating. */
  function seriesIn([name, [numbers]]: readonly [string, Case]): AlertScenario['series'] {
    const common = { ...labels, ...Object.fromEntries(names.map((label) => [label, name])) }
    return Object.entries(numbers).map(([metric, value]) => seriesOf(metric, value, common))
  }
})
