import type { MachineConfigSpec } from '../../api/kinds/machine-config.ts'
import { pools } from '../../api/names.ts'
import { TemplateProblem } from './liquid.ts'
import type { Piece } from './part-spec.ts'
import { partSpec } from './part-spec.ts'
import type { Template, TemplateSet } from './template-set.ts'
import { templatesFor } from './template-set.ts'
import { machineConfigName, targetText } from './template-path.ts'
import type { Variables } from './variables.ts'

/** What the templates of one part come to for one role. */
export interface RenderedPart {
  readonly name: string
  readonly spec: MachineConfigSpec
}

/**
 * The MachineConfigs of a role, by name. A role that is not built in has the templates of worker. Throws
 * TemplateProblem for the first template that cannot be used.
 */
export function renderRole(
  templates: TemplateSet,
  role: string,
  directories: readonly string[],
  variables: Variables,
): RenderedPart[] {
  const builtIn: readonly string[] = Object.values(pools)
  const tree = builtIn.includes(role) ? role : pools.worker
  const withRole = { ...variables, role }
  return [...templatesFor(templates, tree, directories)]
    .map(([part, layers]) => {
      const name = machineConfigName(part, role)
      return { name, spec: partSpec(name, piecesOf(layers, withRole)) }
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Of the templates for one thing the last counts whose condition holds, and it may say that there be nothing. */
function piecesOf(layers: readonly Template[], variables: Variables): Piece[] {
  const decided = new Set<string>()
  const pieces: Piece[] = []
  for (const { target, content, file } of layers.toReversed()) {
    const key = targetText(target)
    if (decided.has(key)) continue
    if (content instanceof TemplateProblem) throw content
    const { header, when, body } = content
    if (when && when.render(variables) === '') continue
    decided.add(key)
    if (!header.remove) pieces.push({ file, target, header, text: body.render(variables) })
  }
  return pieces
}
