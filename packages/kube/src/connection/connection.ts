import type { Cancel } from '@machinist/core/clock'

/** Where an API server is and who we are to it, at one moment. Holds secrets: never log it. */
export interface Access {
  /** `https://host:port`, perhaps with a path in front of every request. */
  readonly server: string
  readonly tls: TlsMaterial
  /** Who we are: Authorization and Impersonate-* headers. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>
}

/** PEM texts, and how to check the server. */
export interface TlsMaterial {
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
  /** The name to expect in the server's certificate, where it differs from the host in the URL. */
  readonly serverName?: string
  readonly insecure?: boolean
}

/** An access that may change under way: tokens, certificates and CAs rotate. */
export interface Connection {
  /** What to use now: the same object for as long as nothing has changed. */
  access(): Promise<Access>
  /** `refused` did not work (401, TLS): every source is looked at again, at once. */
  renew(refused: Access): Promise<Access>
  /** Calls back after every change. Sources are polled only while somebody follows. */
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
