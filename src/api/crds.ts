import type { Kind } from './schema/kind.ts'
import { toYaml } from '../base/yaml.ts'
import { kinds } from './kinds.ts'
import { customResourceDefinition } from './schema/crd.ts'

export interface GeneratedFile {
  readonly name: string
  readonly text: string
}

/** One file per kind, as they are committed under `deploy/crds`. */
export function crdFiles(): GeneratedFile[] {
  return kinds.map((kind) => ({ name: `${crdName(kind)}.yaml`, text: `${notice}${crdYaml(kind)}` }))
}

/** The file by which `kubectl apply -k` finds the others. */
export function crdKustomization(): GeneratedFile {
  const resources = crdFiles()
    .map(({ name }) => name)
    .sort()
  const text = toYaml({
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources,
  })
  return { name: 'kustomization.yaml', text: `${notice}${text}` }
}

/** All kinds as one stream, ready for `kubectl apply -f -`. */
export function crdStream(): string {
  return kinds.map(crdYaml).join('---\n')
}

const notice = '# Generated from src/api/kinds by scripts/generate-crds.ts.\n'

function crdYaml(kind: Kind): string {
  return toYaml(customResourceDefinition(kind))
}

function crdName({ resource }: Kind): string {
  return `${resource.plural}.${resource.group}`
}
