import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parseYaml } from '@machinist/core/encoding/yaml'

export const root = join(import.meta.dirname, '../../..')
export const folder = join(root, 'deploy/monitoring')

export interface Rule {
  readonly alert: string
  readonly expr: string
  readonly for?: string
  readonly labels: { readonly severity: string }
  readonly annotations: Readonly<Record<'summary' | 'description' | 'runbook', string>>
}

export interface RuleFile {
  readonly name: string
  readonly envelope: { readonly apiVersion: string; readonly kind: string }
  /** A Prometheus rule file. */
  readonly spec: object
  readonly rules: readonly Rule[]
}

interface PrometheusRule {
  readonly apiVersion: string
  readonly kind: string
  readonly spec: { readonly groups: readonly { readonly rules: readonly Rule[] }[] }
}

export function ruleFiles(): RuleFile[] {
  return globSync('*-rules.yaml', { cwd: folder })
    .sort()
    .map((file) => {
      const read = parseYaml(readFileSync(join(folder, file), 'utf8'), file) as PrometheusRule
      const { spec, ...envelope } = read
      const rules = spec.groups.flatMap((group) => group.rules)
      return { name: basename(file, '-rules.yaml'), envelope, spec, rules }
    })
}

export const nameOf = ({ alert, labels }: Rule): string => `${alert} ${labels.severity}`

/** The `for` duration of the rule, in minutes. */
export function waitMinutesOf(rule: Rule): number {
  const [, amount = '0', unit = 'm'] = /^(\d+)([mhd])$/.exec(rule.for ?? '0m') ?? []
  return Number(amount) * { m: 1, h: 60, d: 24 * 60 }[unit]!
}
