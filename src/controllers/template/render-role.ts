import type { MachineConfigSpec } from '../../api/kinds/machine-config.ts'
import { pools } from '../../api/names.ts'
import { TemplateProblem } from './liquid/liquid.ts'
import type { RenderedPiece } from './part-spec.ts'
import { partSpec } from './part-spec.ts'
import type { Template, TemplateSet } from './template-set.ts'
import { templatesFor } from './template-set.ts'
import { machineConfigName, targetKey } from './template-path.ts'
import type { TemplateVariables } from './variables.ts'

/** The MachineConfig of one part for one role. */
export interface RenderedPart {
  readonly name: string
  readonly spec: MachineConfigSpec
}

/**
 * The MachineConfigs of a role, by name. A custom role has the templates of worker. Throws TemplateProblem
 * for the first invalid template.
 */
export function renderRole(
  templates: TemplateSet,
  role: string,
  directories: readonly string[],
  variables: TemplateVariables,
): RenderedPart[] {
  const builtIn: readonly string[] = Object.values(pools)
  const scope = builtIn.includes(role) ? role : pools.worker
  const withRole = { ...variables, role }
  return [...templatesFor(templates, scope, directories)]
    .map(([part, layers]) => {
      const name = machineConfigName(part, role)
      return { name, spec: partSpec(name, piecesOf(layers, withRole)) }
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Of the templates with the same target the last one counts whose condition is true; it may remove the target. */
function piecesOf(layers: readonly Template[], variables: TemplateVariables): RenderedPiece[] {
  const decided = new Set<string>()
  const pieces: RenderedPiece[] = []
  for (const { target, content, file } of layers.toReversed()) {
    const key = targetKey(target)
    if (decided.has(key)) continue
    if (content instanceof TemplateProblem) throw content
    const { header, when, body } = content
    if (when && when.render(variables) === '') continue
    decided.add(key)
    if (!header.remove) pieces.push({ file, target, header, text: body.render(variables) })
  }
  return pieces
}
