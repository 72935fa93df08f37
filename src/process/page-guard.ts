import { hostname } from 'node:os'
import { join } from 'node:path'
import type { Cancel, Clock } from '@machinist/core/clock'
import { sleep } from '@machinist/core/clock'
import type { Logger } from '@machinist/core/log'
import type { KubeClient } from '@machinist/kube/client/client'
import { readFileIfExists } from '@machinist/core/files'
import { realFiles } from '@machinist/kube/connection/files'
import type { KeyPair } from '@machinist/kube/connection/material'
import { checkKeyPair } from '@machinist/kube/connection/material'
import type { AccessDecision } from '@machinist/kube/authorization/read-access'
import { ReadAccess } from '@machinist/kube/authorization/read-access'

export interface PageGuard {
  /** The first certificate of the server. */
  readonly identity: KeyPair
  /** Calls `apply` with every new certificate. */
  onRenewal(apply: (identity: KeyPair) => void): Cancel
  /** The response that rejects a request; undefined if it is allowed. */
  rejection(
    path: string,
    authorization: string | undefined,
    from: string,
  ): Promise<readonly [code: number, text: string] | undefined>
}

export interface GuardTools {
  readonly client: Pick<KubeClient, 'create'>
  readonly clock: Clock
  readonly log: Logger
}

const reloadIntervalMs = 60_000
const validityMs = 3650 * 86_400_000

/**
 * Allows `/metrics` to clients with permission to get it; health needs none. `source` is a directory that contains `tls.crt` and
 * `tls.key`, possibly later; with true, or without the files, the certificate is self-signed.
 */
export async function createPageGuard(
  { client, clock, log }: GuardTools,
  source: string | true,
  machine = hostname(),
): Promise<PageGuard> {
  const access = new ReadAccess({ api: client, clock, log })
  const given = async (): Promise<KeyPair | undefined> =>
    source === true ? undefined : await identityIn(source, log)
  const identity = (await given()) ?? (await ownIdentity(clock, machine))
  return {
    identity,
    onRenewal(apply) {
      const stop = new AbortController()
      const { signal } = stop
      const reload = async (): Promise<void> => {
        let current = identity.cert
        while (!signal.aborted) {
          await sleep(clock, reloadIntervalMs, signal)
          const found = signal.aborted ? undefined : await given()
          if (!found || found.cert === current || signal.aborted) continue
          current = found.cert
          apply(found)
        }
      }
      void reload()
      return () => stop.abort()
    },
    async rejection(path, authorization = '', from) {
      if (path !== '/metrics') return undefined
      const token = bearer.exec(authorization)?.[1]
      const verdict = token === undefined ? 'unknown' : await access.mayGet(path, token, from)
      return verdict === 'allowed' ? undefined : rejections[verdict]
    },
  }
}

const bearer = /^Bearer ([\w.~+/=-]{1,16384})$/i

const rejections: Readonly<Record<Exclude<AccessDecision, 'allowed'>, readonly [number, string]>> =
  {
    unknown: [401, 'authentication required: use a bearer token of this cluster\n'],
    forbidden: [
      403,
      'no permission to get /metrics: a role with this nonResourceURL is required\n',
    ],
    busy: [429, 'too many unknown tokens: retry in a minute\n'],
    unclear: [503, 'the API server cannot review the permission: retry when it answers\n'],
  }

/** Logs and ignores a certificate that cannot be used. */
async function identityIn(directory: string, log: Logger): Promise<KeyPair | undefined> {
  try {
    const cert = await readFileIfExists(realFiles, join(directory, 'tls.crt'))
    const key = await readFileIfExists(realFiles, join(directory, 'tls.key'))
    if (cert === undefined || key === undefined) return undefined
    const checked = checkKeyPair({ cert, key })
    if ('problem' in checked) throw new Error(checked.problem)
    return { cert, key }
  } catch (error) {
    log.error('cannot use the certificate for metrics', error, { directory })
    return undefined
  }
}

const dnsName = /^[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*$/i

/** A self-signed certificate: it protects against eavesdropping, not against an active attacker. */
async function ownIdentity(clock: Clock, machine: string): Promise<KeyPair> {
  const { createAuthority, issueCertificate, validFor } = await import('@machinist/pki/issue')
  const validity = validFor(clock, validityMs)
  const authority = await createAuthority({ name: 'machinist metrics', validity })
  // A host name that is not a DNS name must not keep the daemon from starting.
  const name = dnsName.test(machine) ? machine.toLowerCase() : 'localhost'
  const { certificate, key } = await issueCertificate(authority, {
    commonName: name.slice(0, 64),
    dnsNames: [name],
    usages: ['server'],
    validity,
  })
  return { cert: certificate, key }
}
