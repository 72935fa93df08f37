import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { Metrics } from '@machinist/core/metrics'
import { componentFlows } from '../../../scripts/controllers/flows.ts'
import * as annotations from '../../../src/api/annotations.ts'
import * as conditions from '../../../src/api/conditions.ts'
import * as labels from '../../../src/api/labels.ts'
import * as names from '../../../src/api/names.ts'
import * as nodePaths from '../../../src/api/node-paths.ts'
import * as reasons from '../../../src/api/reasons.ts'

/**
 * Everything that scripts, dashboards and other programs match on. A name that disappears from this list breaks them: keep it, or
 * announce its removal in the changelog.
 */
const recorded = JSON.parse(
  readFileSync(join(import.meta.dirname, 'names.json'), 'utf8'),
) as Record<string, string[]>

it.each(Object.entries({ annotations, conditions, labels, names, nodePaths, reasons }))(
  'keeps all names of %s',
  (module, exported) => {
    const present = new Set(textsIn(exported))
    expect(recorded[module]!.filter((name) => !present.has(name))).toEqual([])
  },
)

it('keeps all metrics of the controllers and of the daemon', async () => {
  const metrics = new Metrics()
  await componentFlows(metrics)
  const present = new Set(metricsIn(metrics))
  expect(recorded['metrics']!.filter((name) => !present.has(name))).toEqual([])
})

it('keeps the names of all controllers, which are labels of metrics', async () => {
  const components = await componentFlows()
  const present = new Set(components.flatMap(({ flows }) => flows.map(({ name }) => name)))
  expect(recorded['controllers']!.filter((name) => !present.has(name))).toEqual([])
})

/** All texts in constants, without functions. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

const metricsIn = (metrics: Metrics): string[] =>
  [...metrics.text().matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => `${name} ${type}`)
