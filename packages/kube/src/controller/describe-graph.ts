import type { Flow } from './controller.ts'

/** The controllers and what flows between them, as a Mermaid flowchart. */
export function describeGraph(flows: readonly Flow[]): string {
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
    // A kind may be an input for several reasons; in the picture it is one arrow.
    for (const resource of new Set(inputs.map((input) => input.resource))) {
      lines.push(`${resources.get(resource)} --> ${id}`)
    }
    for (const resource of new Set(outputs)) lines.push(`${id} ==> ${resources.get(resource)}`)
  }
  return ['flowchart LR', ...lines.map((line) => `  ${line}`), ''].join('\n')
}

const quoted = (text: string): string => `"${text.replaceAll('"', '#quot;')}"`
