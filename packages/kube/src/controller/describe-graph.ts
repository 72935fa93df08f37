import type { ControllerFlow } from './controller.ts'

/** The controllers and the resources between them as a Mermaid flowchart. */
export function describeGraph(flows: readonly ControllerFlow[]): string {
  const resources = new Map<string, string>()
  for (const { inputs, outputs } of flows) {
    for (const name of [...inputs.map((input) => input.resource), ...outputs]) {
      if (!resources.has(name)) resources.set(name, `r${resources.size + 1}`)
    }
  }
  const lines = Array.from(resources, ([name, id]) => `${id}[(${quoted(name)})]`)
  for (const [i, { name, inputs, outputs }] of flows.entries()) {
    const id = `c${i + 1}`
    lines.push(`${id}[${quoted(name)}]`)
    // A kind can be several inputs of a controller; the diagram shows one arrow.
    for (const resource of new Set(inputs.map((input) => input.resource))) {
      lines.push(`${resources.get(resource)} --> ${id}`)
    }
    for (const resource of new Set(outputs)) lines.push(`${id} ==> ${resources.get(resource)}`)
  }
  return ['flowchart LR', ...lines.map((line) => `  ${line}`), ''].join('\n')
}

const quoted = (text: string): string => `"${text.replaceAll('"', '#quot;')}"`
