import type { ConfigMap } from '@machinist/kube/kinds/core'
import type { Bundle } from '@machinist/pki/bundle'
import { readBundle } from '@machinist/pki/bundle'
import { configMaps as sources } from '../../api/names.ts'

/** The CAs of the API server, from ConfigMap kubeconfig-data. */
export interface SourceAuthorities {
  /** The text of the ConfigMap, if all of it can be parsed. */
  readonly pem: string
  readonly bundle: Bundle
}

const { key } = sources.kubeconfigData

/** The CAs in the ConfigMap; undefined if it contains no certificate. */
export function apiServerAuthorities({
  data,
  binaryData,
}: Readonly<Pick<ConfigMap, 'data' | 'binaryData'>>): SourceAuthorities | undefined {
  const binary = binaryData?.[key]
  const text = binary === undefined ? data?.[key] : Buffer.from(binary, 'base64').toString()
  const { bundle, problems } = readBundle(text ?? '')
  if (bundle.size === 0) return undefined
  // One invalid certificate does not affect the others.
  const pem = problems.length === 0 ? text! : [...bundle.values()].map((each) => each.pem).join('')
  return { pem, bundle }
}
