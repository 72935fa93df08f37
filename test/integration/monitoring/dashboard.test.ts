import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseYaml, toYaml } from '@machinist/core/encoding/yaml'
import { dashboard as written } from '../../../scripts/dashboard/dashboard.ts'
import { lackingIn } from './known-metrics.ts'
import { groupingsIn } from './promql.ts'
import { findProgram, promtool } from './promtool.ts'
import { folder, ruleFiles } from './rule-files.ts'

interface Panel {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly description?: string
  readonly gridPos: Readonly<Record<'x' | 'y' | 'w' | 'h', number>>
  readonly fieldConfig?: {
    readonly defaults: {
      readonly unit: string
      readonly noValue?: string
      readonly thresholds: { readonly steps: readonly { readonly color: string }[] }
    }
  }
  readonly targets?: readonly Readonly<Record<'refId' | 'expr' | 'legendFormat', string>>[]
}

const text = readFileSync(join(folder, 'dashboard.yaml'), 'utf8')
const { metadata, data } = parseYaml(text, 'dashboard.yaml') as {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> }
  readonly data: Readonly<Record<string, string>>
}
const shown = JSON.parse(data['machinist.json']!) as { readonly panels: readonly Panel[] }
const panels = shown.panels.filter(({ type }) => type !== 'row')
const asked = panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr, legendFormat }) => ({ title, legendFormat, expr })),
)

describe('the dashboard', () => {
  it('is what scripts/generate-dashboard.ts writes, where Grafana looks for it', () => {
    expect(metadata.labels['grafana_dashboard']).toBe('1')
    expect(shown).toEqual(written())
  })

  it('numbers each panel, and panels do not overlap', () => {
    expect(new Set(shown.panels.map(({ id }) => id)).size).toBe(shown.panels.length)
    const taken = shown.panels.flatMap(({ gridPos }) => squaresIn(gridPos))
    expect(new Set(taken).size).toBe(taken.length)
    expect(Math.max(...shown.panels.map(({ gridPos }) => gridPos.x + gridPos.w))).toBe(24)
  })

  it('has a description and a unit for each panel', () => {
    expect(panels.length).toBeGreaterThan(30)
    expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length)
    const lacking = panels.filter(
      ({ description = '', fieldConfig, targets = [] }) =>
        !description.endsWith('.') ||
        !units.has(fieldConfig?.defaults.unit ?? '') ||
        targets.length === 0,
    )
    expect(lacking).toEqual([])
  })

  it('counts all alerts of deploy/monitoring', () => {
    const [, pattern] = /alertname=~"([^"]*)"/.exec(asked.map(({ expr }) => expr).join('\n'))!
    const names = ruleFiles().flatMap(({ rules }) => rules.map(({ alert }) => alert))
    expect(names.filter((name) => !new RegExp(`^(?:${pattern})$`).test(name))).toEqual([])
  })

  it('shows None in panels without data, and problems in red', () => {
    const problems = panels.filter(({ type, title }) => {
      return type === 'state-timeline' && !['Rollout state', 'Phase'].includes(title)
    })
    const shownAs = problems.map(({ title, fieldConfig }) => {
      const { noValue, thresholds } = fieldConfig!.defaults
      return [title, noValue, thresholds.steps.at(-1)?.color]
    })
    expect(shownAs).toEqual([
      ['Degraded pools', 'None', 'red'],
      ['Invalid settings', 'None', 'red'],
      ['Slow drains', 'None', 'red'],
      ['Invalid inputs', 'None', 'red'],
    ])
  })

  it('uses only metrics and labels that exist', () => {
    const problems = asked.flatMap(({ title, expr }) =>
      lackingIn(expr).map((problem) => `${title}: ${problem}`),
    )
    expect(problems).toEqual([])
  })

  it('uses only aggregation labels in legends', () => {
    const nameless = asked.flatMap(({ title, legendFormat, expr }) => {
      const kept = new Set(groupingsIn(expr).flatMap(({ labels }) => labels))
      return Array.from(legendFormat.matchAll(/\{\{(\w+)\}\}/g), ([, label]) => label!)
        .filter((label) => !kept.has(label))
        .map((label) => `${title}: ${label}`)
    })
    expect(nameless).toEqual([])
  })

  it('uses valid PromQL', async ({ skip }) => {
    const { program, reason } = await findProgram('promtool')
    if (program === undefined) return skip(`not checked by promtool: ${reason}`)
    const rules = asked.map(({ expr }, i) => ({
      record: `panel:${i}`,
      expr: expr.replaceAll('$__rate_interval', '5m'),
    }))
    const directory = mkdtempSync(join(tmpdir(), 'machinist-dashboard-'))
    try {
      const file = join(directory, 'rules.yaml')
      writeFileSync(file, toYaml({ groups: [{ name: 'dashboard', rules }] }))
      const { ok, output } = await promtool(program, 'check', 'rules', file)
      expect(output).toContain(`SUCCESS: ${rules.length} rules found`)
      expect(ok).toBe(true)
    } finally {
      rmSync(directory, { recursive: true })
    }
  })
})

const units = new Set(['short', 's', 'bytes', 'percentunit', 'ops', 'reqps'])

function squaresIn({ x, y, w, h }: Panel['gridPos']): string[] {
  return Array.from({ length: w * h }, (_, i) => `${x + (i % w)},${y + Math.floor(i / w)}`)
}
