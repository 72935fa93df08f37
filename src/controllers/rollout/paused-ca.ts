import type { MachineConfig } from '../../api/resources.ts'
import { nodePaths } from '../../api/node-paths.ts'
import { lenientUtf8 } from '../../base/bytes.ts'
import { InvalidInput } from '../../base/errors.ts'
import { isObject } from '../../base/json.ts'
import { inlineContent } from '../../ignition/content.ts'
import { readBundle } from '../../pki/bundle.ts'

/** What a paused pool keeps its nodes in, and what it keeps from them. */
export interface HeldBack {
  readonly current: Readonly<MachineConfig>
  readonly wanted: Readonly<MachineConfig>
}

/** Who signs the certificate that the API server shows to kubelets, by the beginning of its name. */
const signers = [
  'openshift-kube-apiserver-operator_kube-apiserver-to-kubelet-signer@',
  'kube-apiserver-to-kubelet-signer',
]

/**
 * Until when, in seconds since the epoch, the nodes of a paused pool trust the API server, if the pool keeps a new kubelet CA
 * from them; 0 if it does not. Only where certificates are part of the rendered configuration can it.
 */
export function heldBackUntil(held: HeldBack | undefined): number {
  if (!held) return 0
  const current = bundleIn(held.current)
  if (current === bundleIn(held.wanted)) return 0
  const ends = [...readBundle(current).bundle.values()]
    .filter(({ commonName = '' }) => signers.some((signer) => commonName.startsWith(signer)))
    .map(({ notAfter }) => Math.floor(notAfter / 1000))
  return Math.max(0, ...ends)
}

function bundleIn({ spec }: Readonly<MachineConfig>): string {
  const config: unknown = spec?.config
  const storage = isObject(config) ? config['storage'] : undefined
  const files = isObject(storage) && Array.isArray(storage['files']) ? storage['files'] : []
  const file: unknown = files.find((each) => isObject(each) && each['path'] === nodePaths.kubeletCA)
  const contents = isObject(file) && isObject(file['contents']) ? file['contents'] : {}
  try {
    return lenientUtf8(inlineContent(contents))
  } catch (error) {
    if (error instanceof InvalidInput) return ''
    throw error
  }
}
