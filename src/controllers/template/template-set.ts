import { InvalidInput } from '@machinist/core/errors'
import type { TemplateHeader } from './header.ts'
import { splitTemplate } from './header.ts'
import type { CompiledTemplate } from './liquid/liquid.ts'
import { compile, TemplateProblem } from './liquid/liquid.ts'
import type { TemplateTarget, TemplatePath } from './template-path.ts'
import { commonScope, readTemplatePath, targetKey } from './template-path.ts'

/** Template texts by path, with `/` between directories. */
export type TemplateSources = ReadonlyMap<string, string>

/** A compiled template. An invalid template keeps its error for the roles that use it. */
export interface Template extends TemplatePath {
  readonly file: string
  readonly content: TemplateContent | TemplateProblem
}

export interface TemplateContent {
  readonly header: TemplateHeader
  readonly when: CompiledTemplate | undefined
  readonly body: CompiledTemplate
}

export interface TemplateSet {
  /** Sorted by path. */
  readonly templates: readonly Template[]
}

/** Compiles all templates. An invalid path is an error; an invalid template is an error only for its role. */
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

/** The templates of a role on a platform by part: those for all roles first, then by directory. */
export function templatesFor(
  { templates }: TemplateSet,
  role: string,
  directories: readonly string[],
): ReadonlyMap<string, readonly Template[]> {
  const parts = new Map<string, Map<string, Template[]>>()
  for (const scope of [commonScope, role]) {
    for (const directory of directories) {
      for (const template of templates) {
        if (template.scope !== scope || template.platform !== directory) continue
        const part = parts.get(template.part) ?? new Map<string, Template[]>()
        const key = targetKey(template.target)
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

function contentOf(
  text: string,
  file: string,
  target: TemplateTarget,
): TemplateContent | TemplateProblem {
  try {
    const { header, body, bodyLine } = splitTemplate(text, file, target.type)
    const mayHaveText = target.type !== 'extension' && !header.remove
    if (!mayHaveText && body.trim() !== '') {
      const purpose = header.remove ? 'removes its target' : 'is for an extension'
      throw new TemplateProblem(`${file}:${bodyLine}: has text although it ${purpose}`)
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

function condition(when: string, file: string, line: number): CompiledTemplate {
  if (when.includes('%}')) throw new TemplateProblem(`${file}:${line}: when contains %}`)
  // `{% if ` is as long as `when: `, so that columns match the file.
  return compile(`{% if ${when} %}yes{% endif %}`, { file, line })
}
