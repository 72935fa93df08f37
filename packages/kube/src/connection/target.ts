/** An inline value, or a file whose content can change. */
export type Source = { readonly text: string } | { readonly file: string }

/** The configured API server and credentials. Files with secrets are not read yet. */
export interface Target {
  /** Origin for messages: `context "admin" of /home/ann/.kube/config`. */
  readonly origin: string
  readonly server: string
  /** The default namespace. */
  readonly namespace?: string
  readonly ca?: Source
  readonly insecure?: boolean
  readonly serverName?: string
  readonly cert?: Source
  readonly key?: Source
  readonly token?: Source
  readonly basic?: { readonly username: string; readonly password: string }
  readonly exec?: ExecPlan
  readonly impersonate?: Impersonation
}

/** A credential plugin: a command that prints credentials. */
export interface ExecPlan {
  readonly apiVersion: ExecApiVersion
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly installHint?: string
  readonly provideClusterInfo: boolean
  /** Configuration for the plugin from the extensions of the cluster entry. */
  readonly clusterConfig?: unknown
}

export const execApiVersions = [
  'client.authentication.k8s.io/v1',
  'client.authentication.k8s.io/v1beta1',
] as const
export type ExecApiVersion = (typeof execApiVersions)[number]

export interface Impersonation {
  readonly user: string
  readonly uid?: string
  readonly groups: readonly string[]
  readonly extra: Readonly<Record<string, readonly string[]>>
}
