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
import { trustCases } from './cases/trust.ts'
import type { Fired, World } from './firing.ts'
import { end, firing, seriesOf } from './firing.ts'
import { findProgram } from './promtool.ts'
import { nameOf, patienceOf, ruleFiles } from './rule-files.ts'

const all: readonly RuleCases[] = [
  componentCases,
  daemonCases,
  nodeCases,
  poolCases,
  requestCases,
  rotationCases,
  trustCases,
]
const files = ruleFiles()
const { program, reason } = await findProgram('promtool')
const directory = mkdtempSync(join(tmpdir(), 'machinist-rules-'))
afterAll(() => rmSync(directory, { recursive: true }))

it('there are cases for all rules', () => {
  expect(files.map(({ name }) => name)).toEqual(all.map(({ file }) => file))
})

describe.for(all)('the rules in $file-rules.yaml', (expected) => {
  const { names, labels = {}, cases, alone = {}, whenSilent } = expected
  const file = files.find(({ name }) => name === expected.file)!
  let fired: readonly Fired[] = []
  const firedIn = (world: string): Fired[] => fired.filter((each) => each.world === world)
  const atTheEnd = (some: readonly Fired[]): string[] =>
    some.filter(({ at }) => at === end).map(({ alert }) => alert)

  beforeAll(async () => {
    if (program === undefined) return
    const worlds = [
      { name: 'shared', series: Object.entries(cases).flatMap((each) => seriesIn(each)) },
      ...Object.entries(alone).map((each) => ({ name: each[0], series: seriesIn(each) })),
      { name: 'silent', series: [] },
    ]
    fired = await firing(program, directory, file, worlds)
  })

  it('are a PrometheusRule with these alerts', () => {
    expect(file.envelope).toMatchObject({
      apiVersion: 'monitoring.coreos.com/v1',
      kind: 'PrometheusRule',
      metadata: { namespace: 'openshift-machine-config-operator' },
    })
    expect(file.rules.map(nameOf)).toEqual(expected.alerts)
  })

  it.for(Object.entries(cases))(
    'fire as they should: %s',
    ([name, [numbers, ...fires]], { skip }) => {
      if (program === undefined) return skip(`not checked by promtool: ${reason}`)
      const ours = firedIn('shared').filter((each) =>
        names.some((label) => each.labels[label] === name),
      )
      expect(atTheEnd(ours)).toEqual(fires)
      expect(untimely(ours, numbers)).toEqual([])
    },
  )

  it.for(Object.entries(alone))(
    'fire as they should: %s',
    ([name, [numbers, ...fires]], { skip }) => {
      if (program === undefined) return skip(`not checked by promtool: ${reason}`)
      expect(atTheEnd(firedIn(name))).toEqual(fires)
      expect(untimely(firedIn(name), numbers)).toEqual([])
    },
  )

  it('fire when there are no numbers at all', ({ skip }) => {
    if (program === undefined) return skip(`not checked by promtool: ${reason}`)
    expect(atTheEnd(firedIn('silent'))).toEqual(whenSilent)
    expect(untimely(firedIn('silent'), {})).toEqual([])
  })

  it('are all seen to fire, and say what they mean to', ({ skip }) => {
    if (program === undefined) return skip(`not checked by promtool: ${reason}`)
    expect(new Set(atTheEnd(fired))).toEqual(new Set(expected.alerts))
    expect(fired.flatMap((each) => unsaid(each))).toEqual([])
  })

  /** What its texts fail to say. */
  function unsaid({ alert, annotations, labels: has }: Fired): string[] {
    const { summary, description } = file.rules.find((rule) => nameOf(rule) === alert)!.annotations
    const asked = Array.from(
      `${summary} ${description}`.matchAll(/\$labels\.(\w+)/g),
      ([, label]) => label!,
    )
    const gaps = annotations.match(/<no value>|<error|%!|\{\{/g) ?? []
    return [...gaps, ...asked.filter((label) => !(label in has))].map((gap) => `${alert}: ${gap}`)
  }

  /** Those that fire before their time; or not when it has come, where the numbers have always been the same. */
  function untimely(ours: readonly Fired[], numbers: Case[0]): string[] {
    const isSteady = Object.values(numbers).every((value) => typeof value === 'number')
    return [...new Set(atTheEnd(ours))].filter((alert) => {
      const patience = patienceOf(file.rules.find((rule) => nameOf(rule) === alert)!)
      const times = ours.filter((each) => each.alert === alert).map(({ at }) => at)
      return times.some((at) => at < patience) || (isSteady && !times.includes(patience))
    })
  }

  /** Told apart by their labels: promtool takes longer to start than to think. */
  function seriesIn([name, [numbers]]: readonly [string, Case]): World['series'] {
    const common = { ...labels, ...Object.fromEntries(names.map((label) => [label, name])) }
    return Object.entries(numbers).map(([metric, value]) => seriesOf(metric, value, common))
  }
})
