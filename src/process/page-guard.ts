import { hostname } from 'node:os'
import { join } from 'node:path'
import type { Cancel, Clock } from '@machinist/core/clock'
import { sleep } from '@machinist/core/clock'
import type { Logger } from '@machinist/core/log'
import type { KubeClient } from '@machinist/kube/client'
import { readIfThere } from '@machinist/core/files'
import { realFiles } from '@machinist/kube/connection/files'
import type { KeyPair } from '@machinist/kube/connection/material'
import { checkedPair } from '@machinist/kube/connection/material'
import type { Verdict } from '@machinist/kube/read-access'
import { ReadAccess } from '@machinist/kube/read-access'

export interface Guard {
  /** What is shown of this server at first. */
  readonly identity: KeyPair
  /** Shows the next one whenever there is one. */
  renewing(show: (identity: KeyPair) => void): Cancel
  /** Why not, as an answer; undefined if this page is for everybody, or for this one. */
  refuses(
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

const lookEveryMs = 60_000
const life = 3650 * 86_400_000

/**
 * Lets those read `/metrics` whom the cluster lets; health is for everybody. `shown` is a directory where `tls.crt` and
 * `tls.key` are, or may come to be; without, the server vouches for itself.
 */
export async function guardFor(
  { client, clock, log }: GuardTools,
  shown: string | true,
  machine = hostname(),
): Promise<Guard> {
  const access = new ReadAccess({ api: client, clock, log })
  const given = async (): Promise<KeyPair | undefined> =>
    shown === true ? undefined : await identityIn(shown, log)
  const identity = (await given()) ?? (await ownIdentity(clock, machine))
  return {
    identity,
    renewing(show) {
      const stop = new AbortController()
      const { signal } = stop
      const look = async (): Promise<void> => {
        let now = identity.cert
        while (!signal.aborted) {
          await sleep(clock, lookEveryMs, signal)
          const found = signal.aborted ? undefined : await given()
          if (!found || found.cert === now || signal.aborted) continue
          now = found.cert
          show(found)
        }
      }
      void look()
      return () => stop.abort()
    },
    async refuses(path, authorization = '', from) {
      if (path !== '/metrics') return undefined
      const token = bearer.exec(authorization)?.[1]
      const verdict = token === undefined ? 'unknown' : await access.mayGet(path, token, from)
      return verdict === 'allowed' ? undefined : refusals[verdict]
    },
  }
}

const bearer = /^Bearer ([\w.~+/=-]{1,16384})$/i

const refusals: Readonly<Record<Exclude<Verdict, 'allowed'>, readonly [number, string]>> = {
  unknown: [401, 'say who you are, with a token of this cluster\n'],
  forbidden: [403, 'you may not get /metrics: it takes a role that says so\n'],
  busy: [429, 'too many tokens that nobody knows: come again in a minute\n'],
  unclear: [
    503,
    'the cluster cannot be asked who may read this: come again when its API server answers\n',
  ],
}

/** What cannot be used is told, and not used. */
async function identityIn(directory: string, log: Logger): Promise<KeyPair | undefined> {
  try {
    const cert = await readIfThere(realFiles, join(directory, 'tls.crt'))
    const key = await readIfThere(realFiles, join(directory, 'tls.key'))
    if (cert === undefined || key === undefined) return undefined
    const checked = checkedPair({ cert, key })
    if ('problem' in checked) throw new Error(checked.problem)
    return { cert, key }
  } catch (error) {
    log.error(`the certificate in ${directory} cannot be used`, error)
    return undefined
  }
}

const dnsName = /^[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*$/i

/** Nobody vouches for it: good against those who listen, not against those who step in between. */
async function ownIdentity(clock: Clock, machine: string): Promise<KeyPair> {
  const { createAuthority, issueCertificate, validFor } = await import('@machinist/pki/issue')
  const validity = validFor(clock, life)
  const authority = await createAuthority({ name: 'machinist metrics', validity })
  // A machine may be called anything; that is no reason to be without a daemon.
  const name = dnsName.test(machine) ? machine.toLowerCase() : 'localhost'
  const { certificate, key } = await issueCertificate(authority, {
    commonName: name.slice(0, 64),
    dnsNames: [name],
    usages: ['server'],
    validity,
  })
  return { cert: certificate, key }
}
