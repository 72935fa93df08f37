/** A text that is known, or the file that holds it and may change. */
export type Source = { readonly text: string } | { readonly file: string }

/** Where to connect and what to say there, as configured: secrets in files are not read yet. */
export interface Target {
  /** For messages: `context "admin" of /home/ann/.kube/config`. */
  readonly origin: string
  readonly server: string
  /** The namespace to use where a command names none. */
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

/** A command that prints credentials. */
export interface ExecPlan {
  readonly apiVersion: ExecApiVersion
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly installHint?: string
  readonly provideClusterInfo: boolean
  /** What the cluster entry wants the plugin to know. */
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
