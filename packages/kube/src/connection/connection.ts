import type { Cancel } from '@machinist/core/clock'

/** The address of an API server and the current credentials. Contains secrets: never log it. */
export interface Access {
  /** `https://host:port`, optionally with a path prefix. */
  readonly server: string
  readonly tls: TlsMaterial
  /** Authorization and Impersonate-* headers. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>
}

/** TLS settings; certificates and keys in PEM. */
export interface TlsMaterial {
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
  /** The expected name in the server certificate, if it differs from the host in the URL. */
  readonly serverName?: string
  readonly insecure?: boolean
}

/** An access that can change: tokens, certificates and CAs rotate. */
export interface Connection {
  /** The current access: the same object until something changes. */
  access(): Promise<Access>
  /** Reads all sources immediately, because the server rejected `rejected` (401, TLS error). */
  renew(rejected: Access): Promise<Access>
  /** Calls `changed` after every change. Sources are polled only while there is a follower. */
  follow(changed: (access: Access) => void): Cancel
}

/** A connection whose access never changes. */
export function fixedConnection(access: Access): Connection {
  return {
    access: () => Promise.resolve(access),
    renew: () => Promise.resolve(access),
    follow: () => () => {},
  }
}
