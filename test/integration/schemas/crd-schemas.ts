import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { StructuralSchema } from '@machinist/apiserver/schema/structure/structural-schema'
import { parseYaml } from '@machinist/core/encoding/yaml'

/** The schemas of Machinist's CRDs, by kind. */
export function crdSchemas(): Map<string, StructuralSchema> {
  return new Map(
    definitionFiles().map((file) => {
      const crd = parseYaml(readFileSync(file, 'utf8'), file) as Crd
      const { names, versions } = crd.spec
      return [names.kind, versions[0]!.schema.openAPIV3Schema]
    }),
  )
}

/** The CRDs of every cluster, and the image registry CRDs for clusters without OpenShift. */
export function definitionFiles(): string[] {
  return ['crds', 'image-registries/crds'].flatMap((name) => {
    const folder = join(import.meta.dirname, '../../../deploy', name)
    const files = readdirSync(folder).filter((file) => file !== 'kustomization.yaml')
    return files.map((file) => join(folder, file))
  })
}

interface Crd {
  spec: {
    names: { kind: string }
    versions: { schema: { openAPIV3Schema: StructuralSchema } }[]
  }
}
