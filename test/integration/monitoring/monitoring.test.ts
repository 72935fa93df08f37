import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createProgram } from '../../../src/cli/command-line.ts'
import { allCommands } from '../../../src/cli/program.ts'
import { processTerminal } from '../../../src/process/terminal.ts'
import { lackingIn } from './known-metrics.ts'
import type { Rule } from './rule-files.ts'
import { folder, root, ruleFiles } from './rule-files.ts'

const rules = ruleFiles().flatMap((file) => file.rules)
const read = (...path: string[]): string => readFileSync(join(root, ...path), 'utf8')
const runbooks = globSync('docs/runbooks/*.md', { cwd: root })
const commands = new Set(
  createProgram(allCommands, processTerminal).commands.map((command) => command.name()),
)

describe('every alert', () => {
  it('uses only metrics and labels that exist', () => {
    const problems = rules.flatMap(({ alert, expr }) =>
      lackingIn(expr).map((problem) => `${alert}: ${problem}`),
    )
    expect(problems).toEqual([])
  })

  it('has one severity, or warning and critical', () => {
    const bySeverity = Map.groupBy(rules, ({ alert }) => alert)
    const odd = [...bySeverity.values()].filter((same) => {
      const severities = same.map(({ labels }) => labels.severity).join(' ')
      return !/^(info|warning|critical|warning critical)$/.test(severities)
    })
    expect(odd).toEqual([])
  })

  it('has a runbook with meaning, diagnosis and remedy', () => {
    expect(rules.flatMap(pageProblems)).toEqual([])
  })

  it('is in the table of docs/monitoring.md, and the table has no other rows', () => {
    const table = Array.from(
      read('docs/monitoring.md').matchAll(
        /^\| `(\w+)` +\| ([a-z, ]+?) +\| ([a-z0-9, ]+?) +\| \[([a-z0-9-]+)\]\(runbooks\/\4\.md\) +\|$/gm,
      ),
      ([, alert, severity, after, page]) =>
        `${alert}: ${severity}, ${after}, docs/runbooks/${page}.md`,
    )
    const expected = Array.from(
      Map.groupBy(rules, ({ alert }) => alert),
      ([alert, same]) => {
        const severities = same.map(({ labels }) => labels.severity).join(', ')
        const waits = same.map((rule) => rule.for ?? 'at once').join(', ')
        return `${alert}: ${severities}, ${waits}, ${same[0]!.annotations.runbook}`
      },
    )
    expect(table.toSorted()).toEqual(expected.toSorted())
  })
})

describe('every runbook', () => {
  it('belongs to an alert', () => {
    const led = new Set(rules.map(({ annotations }) => annotations.runbook))
    const others = runbooks.filter((page) => !led.has(page))
    expect(others).toEqual(['docs/runbooks/README.md'])
  })

  it('names only existing commands of machinist', () => {
    const unknown = runbooks.flatMap((page) =>
      Array.from(read(page).matchAll(/(?:`|^|\| )machinist ([a-z]+)/gm), ([, command]) => command!)
        .filter((command) => !commands.has(command))
        .map((command) => `${page}: machinist ${command}`),
    )
    expect(unknown).toEqual([])
  })

  it('has no broken links', () => {
    const broken = ['docs/monitoring.md', ...runbooks].flatMap((page) =>
      Array.from(read(page).matchAll(/\]\(([^)#:]+\.md)(?:#([^)]*))?\)/g))
        .filter(([, link, anchor]) => !linkExists(join(page, '..', link!), anchor))
        .map(([link]) => `${page}: ${link}`),
    )
    expect(broken).toEqual([])
  })
})

it('the kustomization lists every file', () => {
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
    'no meaning': /^\*\*Meaning\.\*\*/m.test(page),
    'nowhere to look': /^\*\*Check/m.test(page),
    'nothing to do': /^\*\*(Fix|Check and fix)\b/m.test(page),
    'no command': /^```sh$/m.test(page),
  }
  return Object.entries(wanted)
    .filter(([, isSo]) => !isSo)
    .map(([problem]) => `${runbook} for ${alert}: ${problem}`)
}

function linkExists(path: string, anchor: string | undefined): boolean {
  if (!existsSync(join(root, path))) return false
  const anchors = Array.from(read(path).matchAll(/^#+ (.*)$/gm), ([, title]) =>
    title!
      .toLowerCase()
      .replaceAll(/[^a-z0-9 -]/g, '')
      .replaceAll(' ', '-'),
  )
  return anchor === undefined || anchors.includes(anchor)
}
