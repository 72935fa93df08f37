import { execFileSync } from 'node:child_process'
import type { KubeObject } from '@machinist/core/objects/resource'
import { parseYamlDocuments } from '@machinist/core/encoding/yaml'
import type { AnyRole } from './atoms.ts'
import { folder, kubectlProgram } from './stage.ts'

export type Manifest = KubeObject & { readonly kind: string }

/** The objects that `kubectl apply -k` sends, in order. */
export function manifestsIn(name: string): Manifest[] {
  const text = execFileSync(kubectlProgram(), ['kustomize', folder(name)], { encoding: 'utf8' })
  return parseYamlDocuments(text, name) as Manifest[]
}

/** The ServiceAccounts. Their roles have the same names. */
export const accounts = [
  'machine-config-operator',
  'machine-config-controller',
  'machine-config-daemon',
  'machinist-signer',
  'machine-config-server',
  'node-bootstrapper',
] as const

export function rolesOf(account: string, manifests: readonly Manifest[]): AnyRole[] {
  const isRole = ({ kind }: Manifest): boolean => kind === 'Role' || kind === 'ClusterRole'
  return manifests.filter((one) => isRole(one) && one.metadata.name === account)
}
