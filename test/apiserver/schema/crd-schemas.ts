import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { StructuralSchema } from '../../../src/apiserver/schema/structural-schema.ts'
import { parseYaml } from '../../../src/base/yaml.ts'

/** The schemas of our own CRDs, by kind. */
export function crdSchemas(): Map<string, StructuralSchema> {
  const folder = join(import.meta.dirname, '../../../deploy/crds')
  return new Map(
    definitionsIn(folder).map((file) => {
      const crd = parseYaml(readFileSync(join(folder, file), 'utf8'), file) as Crd
      const { names, versions } = crd.spec
      return [names.kind, versions[0]!.schema.openAPIV3Schema]
    }),
  )
}

/** All but the file that lists them. */
export const definitionsIn = (folder: string): string[] =>
  readdirSync(folder).filter((file) => file !== 'kustomization.yaml')

interface Crd {
  spec: {
    names: { kind: string }
    versions: { schema: { openAPIV3Schema: StructuralSchema } }[]
  }
}
