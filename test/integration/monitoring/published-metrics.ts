import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'oxc-parser'
import type { Syntax } from '../../boundaries/source.ts'
import { isSyntax, nameOf, textOf, walk } from '../../boundaries/source.ts'
import { root } from './rule-files.ts'

export interface PublishedMetric {
  readonly name: string
  readonly kind: 'counter' | 'gauge' | 'histogram'
  readonly labels: readonly string[]
  /** The file that registers it. */
  readonly path: string
}

/** All metrics that components register, read from the code: each is declared with its name and labels in one place. */
export function publishedMetrics(): ReadonlyMap<string, PublishedMetric> {
  // Without the embedded API server, which is not monitored, and core, which declares no metrics of its own.
  const found = globSync(['src/**/*.ts', 'packages/kube/src/**/*.ts'], { cwd: root })
    .filter((path) => !/\.(test|fixture)\.ts$/.test(path))
    .sort()
    .flatMap((path) => metricsIn(path, readFileSync(join(root, path), 'utf8')))
  return new Map(found.map((metric) => [metric.name, metric]))
}

/** The labels of a metric; also for the `_bucket`, `_sum` and `_count` of a histogram. */
export function publishedAs(
  metrics: ReadonlyMap<string, PublishedMetric>,
  name: string,
): readonly string[] | undefined {
  const metric = metrics.get(name)
  if (metric && metric.kind !== 'histogram') return metric.labels
  const [, of = '', part] = /^(.*)_(bucket|sum|count)$/.exec(name) ?? []
  const histogram = metrics.get(of)
  if (histogram?.kind !== 'histogram') return undefined
  return part === 'bucket' ? [...histogram.labels, 'le'] : histogram.labels
}

const kinds = ['counter', 'gauge', 'histogram'] as const

export function metricsIn(path: string, text: string): PublishedMetric[] {
  if (!kinds.some((kind) => text.includes(`.${kind}(`))) return []
  const program = parseSync(path, text).program as unknown as Syntax
  const constants = new Map<string, unknown>()
  const found: PublishedMetric[] = []
  walk(program, (node) => {
    if (node.type === 'VariableDeclarator') constants.set(nameOf(node['id']) ?? '', node['init'])
  })
  walk(program, (node) => {
    const kind = registeredBy(node)
    if (!kind) return
    const [definition] = node['arguments'] as unknown[]
    const name = textOf(property(definition, 'name'))
    const labels = textsIn(property(definition, 'labels'), constants)
    if (name === undefined || labels === undefined) {
      throw new Error(`${path}: a metric whose name and labels cannot be read from the code`)
    }
    found.push({ name, kind, labels, path })
  })
  return found
}

function registeredBy(node: Syntax): PublishedMetric['kind'] | undefined {
  if (node.type !== 'CallExpression') return undefined
  const { callee } = node as { callee?: unknown }
  if (!isSyntax(callee) || callee.type !== 'MemberExpression') return undefined
  return kinds.find((kind) => kind === nameOf(callee['property']))
}

function property(object: unknown, name: string): unknown {
  if (!isSyntax(object) || object.type !== 'ObjectExpression') return undefined
  const properties = object['properties'] as Syntax[]
  return properties.find((each) => nameOf(each['key']) === name)?.['value']
}

/** `['a', 'b']`, `['a'] as const`, or the name of such a thing in the same file. */
function textsIn(value: unknown, constants: ReadonlyMap<string, unknown>): string[] | undefined {
  if (value === undefined) return []
  if (!isSyntax(value)) return undefined
  if (value.type === 'TSAsExpression') return textsIn(value['expression'], constants)
  const name = nameOf(value)
  if (name !== undefined) {
    return constants.has(name) ? textsIn(constants.get(name), constants) : undefined
  }
  if (value.type !== 'ArrayExpression') return undefined
  const texts = (value['elements'] as unknown[]).map(textOf)
  return texts.every((text) => text !== undefined) ? texts : undefined
}
