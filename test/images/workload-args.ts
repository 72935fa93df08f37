import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseYamlDocuments } from '@machinist/core/encoding/yaml'

interface Workload {
  readonly spec: {
    readonly template: {
      readonly spec: { readonly containers: readonly { readonly args: readonly string[] }[] }
    }
  }
}

/** The arguments of the first workload of a manifest, with any free port. */
export function argsOf(path: string): string[] {
  const text = readFileSync(join(import.meta.dirname, '../../deploy', path), 'utf8')
  const [{ spec }] = parseYamlDocuments(text, path) as [Workload]
  return spec.template.spec.containers[0]!.args.map((arg) => arg.replace(/:\d+$/, ':0'))
}
