import { toYaml } from '@machinist/core/encoding/yaml'
import type { Kind } from '../schema/kind.ts'
import { kinds } from './kinds.ts'
import { customResourceDefinition } from './crd.ts'

const notice = '# Generated from src/api/kinds by scripts/generate-crds.ts.\n'

export interface GeneratedFile {
  readonly name: string
  readonly text: string
}

/** One file per kind and a kustomization.yaml, as committed under `deploy`. */
export function crdFolder(of: readonly Kind[]): GeneratedFile[] {
  const files = of.map((kind) => ({
    name: `${crdName(kind)}.yaml`,
    text: `${notice}${crdYaml(kind)}`,
  }))
  return [...files, kustomization(files)]
}

/** All CustomResourceDefinitions as one YAML stream, for `kubectl apply -f -`. */
export function crdStream(): string {
  return kinds.map(crdYaml).join('---\n')
}

function kustomization(files: readonly GeneratedFile[]): GeneratedFile {
  const resources = files.map(({ name }) => name).sort()
  const text = toYaml({
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources,
  })
  return { name: 'kustomization.yaml', text: `${notice}${text}` }
}

function crdYaml(kind: Kind): string {
  return toYaml(customResourceDefinition(kind))
}

function crdName({ resource }: Kind): string {
  return `${resource.plural}.${resource.group}`
}
