import { InvalidInput } from '@machinist/core/errors'
import type { Header } from './header.ts'
import { splitTemplate } from './header.ts'
import type { Program } from './liquid.ts'
import { compile, TemplateProblem } from './liquid.ts'
import type { Target, TemplatePath } from './template-path.ts'
import { everyRole, readTemplatePath, targetText } from './template-path.ts'

/** Templates as they come from disk: their text by path, with `/` between the directories. */
export type TemplateSources = ReadonlyMap<string, string>

/** One template, ready to use; one that is broken keeps what is wrong with it for the roles that need it. */
export interface Template extends TemplatePath {
  readonly file: string
  readonly content: Content | TemplateProblem
}

export interface Content {
  readonly header: Header
  readonly when: Program | undefined
  readonly body: Program
}

export interface TemplateSet {
  /** Sorted by path. */
  readonly templates: readonly Template[]
}

/** Reads all templates. A path that means nothing is an error; a broken template is one only for its role. */
export function readTemplates(sources: TemplateSources): TemplateSet {
  const problems: string[] = []
  const templates: Template[] = []
  for (const file of [...sources.keys()].sort()) {
    const path = readTemplatePath(file)
    if (typeof path === 'string') problems.push(`${file} ${path}`)
    else
      templates.push({ ...path, file, content: contentOf(sources.get(file)!, file, path.target) })
  }
  if (problems.length > 0) throw new InvalidInput(problems.join('; '))
  return { templates }
}

/** The templates of a role on a platform: what is for all roles first, later directories in the place of earlier ones. */
export function templatesFor(
  { templates }: TemplateSet,
  role: string,
  directories: readonly string[],
): ReadonlyMap<string, readonly Template[]> {
  const parts = new Map<string, Map<string, Template[]>>()
  for (const scope of [everyRole, role]) {
    for (const directory of directories) {
      for (const template of templates) {
        if (template.scope !== scope || template.platform !== directory) continue
        const part = parts.get(template.part) ?? new Map<string, Template[]>()
        const key = targetText(template.target)
        part.set(key, [...(part.get(key) ?? []), template])
        parts.set(template.part, part)
      }
    }
  }
  return new Map(
    [...parts]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([part, layers]) => [part, [...layers.values()].flat()]),
  )
}

function contentOf(text: string, file: string, target: Target): Content | TemplateProblem {
  try {
    const { header, body, bodyLine } = splitTemplate(text, file, target.type)
    const mayHaveText = target.type !== 'extension' && !header.remove
    if (!mayHaveText && body.trim() !== '') {
      const what = header.remove ? 'removes something' : 'stands for an extension'
      throw new TemplateProblem(`${file}:${bodyLine}: has a text although it ${what}`)
    }
    return {
      header,
      when: header.when === undefined ? undefined : condition(header.when, file, header.whenLine),
      body: compile(body, { file, line: bodyLine }),
    }
  } catch (error) {
    if (error instanceof TemplateProblem) return error
    throw error
  }
}

function condition(when: string, file: string, line: number): Program {
  if (when.includes('%}')) throw new TemplateProblem(`${file}:${line}: when holds %}`)
  // As long as `when: `, so that columns are those of the file.
  return compile(`{% if ${when} %}yes{% endif %}`, { file, line })
}
