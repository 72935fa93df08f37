import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { lackingIn } from './known-metrics.ts'
import type { Rule } from './rule-files.ts'
import { folder, root, ruleFiles } from './rule-files.ts'

const rules = ruleFiles().flatMap((file) => file.rules)
const read = (...path: string[]): string => readFileSync(join(root, ...path), 'utf8')
const runbooks = globSync('docs/runbooks/*.md', { cwd: root })

describe('every alert', () => {
  it('asks for metrics that somebody publishes, by labels that they have', () => {
    const problems = rules.flatMap(({ alert, expr }) =>
      lackingIn(expr).map((problem) => `${alert}: ${problem}`),
    )
    expect(problems).toEqual([])
  })

  it('is of one severity or gets worse, and says whom to call', () => {
    const bySeverity = Map.groupBy(rules, ({ alert }) => alert)
    const odd = [...bySeverity.values()].filter((same) => {
      const severities = same.map(({ labels }) => labels.severity).join(' ')
      return !/^(info|warning|critical|warning critical)$/.test(severities)
    })
    expect(odd).toEqual([])
  })

  it('has a page that says what it means, how to look and what to do', () => {
    expect(rules.flatMap(pageProblems)).toEqual([])
  })

  it('is in the table of docs/monitoring.md, and nothing else', () => {
    const table = Array.from(
      read('docs/monitoring.md').matchAll(
        /^\| `(\w+)` +\| ([a-z, ]+?) +\| ([a-z0-9, ]+?) +\| \[([a-z0-9-]+)\]\(runbooks\/\4\.md\) +\|$/gm,
      ),
      ([, alert, severity, after, page]) =>
        `${alert}: ${severity}, ${after}, docs/runbooks/${page}.md`,
    )
    const wanted = Array.from(
      Map.groupBy(rules, ({ alert }) => alert),
      ([alert, same]) => {
        const severities = same.map(({ labels }) => labels.severity).join(', ')
        const patience = same.map((rule) => rule.for ?? 'at once').join(', ')
        return `${alert}: ${severities}, ${patience}, ${same[0]!.annotations.runbook}`
      },
    )
    expect(table.toSorted()).toEqual(wanted.toSorted())
  })
})

describe('every runbook', () => {
  it('is one that an alert leads to', () => {
    const led = new Set(rules.map(({ annotations }) => annotations.runbook))
    const others = runbooks.filter((page) => !led.has(page))
    expect(others).toEqual(['docs/runbooks/README.md'])
  })

  it('names only commands that Machinist has', () => {
    const unknown = runbooks.flatMap((page) =>
      Array.from(read(page).matchAll(/(?:`|^|\| )machinist ([a-z]+)/gm), ([, command]) => command!)
        .filter((command) => !existsSync(join(root, `src/cli/commands/${command}.ts`)))
        .map((command) => `${page}: machinist ${command}`),
    )
    expect(unknown).toEqual([])
  })

  it('leads to places that there are', () => {
    const broken = ['docs/monitoring.md', ...runbooks].flatMap((page) =>
      Array.from(read(page).matchAll(/\]\(([^)#:]+\.md)(?:#([^)]*))?\)/g))
        .filter(([, link, anchor]) => !leadsSomewhere(join(page, '..', link!), anchor))
        .map(([link]) => `${page}: ${link}`),
    )
    expect(broken).toEqual([])
  })
})

it('all of it is applied together', () => {
  const listed = Array.from(
    read('deploy/monitoring/kustomization.yaml').matchAll(/^ {2}- (\S+\.yaml)$/gm),
    ([, file]) => file!,
  )
  const there = globSync('*.yaml', { cwd: folder }).filter((file) => file !== 'kustomization.yaml')
  expect(listed.toSorted()).toEqual(there.toSorted())
})

function pageProblems({ alert, labels, annotations }: Rule): string[] {
  const { summary, description, runbook } = annotations
  const page = existsSync(join(root, runbook)) ? read(runbook) : ''
  const wanted = {
    'no summary': summary !== '',
    'no description': description !== '',
    'a strange name': /^docs\/runbooks\/[a-z0-9-]+\.md$/.test(runbook),
    'another alert': page.includes(alert),
    'another severity': page.includes(labels.severity),
    'no meaning': /^\*\*What it means\.\*\*/m.test(page),
    'nowhere to look': /^\*\*Look/m.test(page),
    'nothing to do': /^\*\*(Do|Look and do)\b/m.test(page),
    'no command': /^```sh$/m.test(page),
  }
  return Object.entries(wanted)
    .filter(([, isSo]) => !isSo)
    .map(([problem]) => `${runbook} for ${alert}: ${problem}`)
}

function leadsSomewhere(path: string, anchor: string | undefined): boolean {
  if (!existsSync(join(root, path))) return false
  const anchors = Array.from(read(path).matchAll(/^#+ (.*)$/gm), ([, title]) =>
    title!
      .toLowerCase()
      .replaceAll(/[^a-z0-9 -]/g, '')
      .replaceAll(' ', '-'),
  )
  return anchor === undefined || anchors.includes(anchor)
}
