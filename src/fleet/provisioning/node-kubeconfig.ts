import { toYaml } from '@machinist/core/encoding/yaml'

export interface KubeconfigInputs {
  /** The URL of the API server. */
  readonly server: string
  /** The CA bundle of the API server, in PEM. */
  readonly caBundle: string | Uint8Array
  /** The credential: `{ token }`, or files on the node. */
  readonly user: Readonly<Record<string, string>>
}

/** The text of a kubelet's kubeconfig, with the names that MCO uses. */
export function nodeKubeconfig({ server, caBundle, user }: KubeconfigInputs): string {
  const name = 'kubelet'
  const cluster = 'local'
  const ca = Buffer.from(caBundle).toString('base64')
  return toYaml({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    contexts: [{ name, context: { cluster, user: name } }],
    clusters: [{ name: cluster, cluster: { server, 'certificate-authority-data': ca } }],
    users: [{ name, user }],
  })
}

/** The kubeconfig with which a new machine requests its first certificate. It holds a credential: mode 0600. */
export function bootstrapKubeconfig(
  server: string,
  caBundle: string | Uint8Array,
  token: string,
): string {
  return nodeKubeconfig({ server, caBundle, user: { token } })
}
