import { registryPuller, secrets } from '../../api/names.ts'
import type { KubeObject } from '@machinist/core/resource'
import type { InputProblem } from '../inputs/problem.ts'
import { base64 } from './bundle-verdict.ts'
import type { RegistryLogin, RegistryLogins } from '../../api/trust/registry-logins.ts'
import { loginsText } from '../../api/trust/registry-logins.ts'
import type { Seen, TrustFacts, Verdict } from './facts.ts'
import { isToBeRemoved } from './facts.ts'
import { trustReasons } from './reasons.ts'
import { loginsForms, loginsIn } from './secret-logins.ts'

/** The registry inside the cluster, and the name it has from outside before the cluster's network is there. */
const registryHost = 'image-registry.openshift-image-registry.svc:5000'
const routeHost = (domain: string): string =>
  `default-route-openshift-image-registry.apps.${domain}`

/** Logins for the cluster's own image registry. Without such a registry, or somebody who may pull from it, there are none. */
export function registryPullSecret(facts: TrustFacts): Verdict<string> {
  const { registryOperator, puller } = facts
  if (registryOperator.state !== 'here') return notThere(registryOperator)
  if (puller.state !== 'here') return notThere(puller)
  if (isToBeRemoved(puller.object)) return { state: 'absent' }
  const domain = domainIn(facts)
  if (typeof domain !== 'string') return { state: 'bad', problem: domain }
  const { namespace } = registryPuller
  const names = (puller.object.imagePullSecrets ?? []).flatMap(({ name }) => name || [])
  const all = [
    ...names.map((name) => loginsIn(facts, { namespace, name }, loginsForms.serviceAccount)),
    loginsIn(facts, clusterSecret, loginsForms.cluster),
  ]
  const broken = all.find((one) => 'problem' in one)
  if (broken) return { state: 'bad', problem: broken.problem }
  const merged = mergeLogins(
    all.flatMap((one) => ('logins' in one ? [one.logins] : [])),
    domain,
  )
  if (merged.size === 0) return { state: 'absent' }
  return { state: 'good', value: base64(Buffer.from(loginsText(merged))) }
}

/** A later login takes the place of an earlier one; the registry's counts also for its name outside the cluster. */
function mergeLogins(all: readonly RegistryLogins[], domain: string): RegistryLogins {
  const merged = new Map<string, RegistryLogin>()
  for (const logins of all) {
    for (const [host, login] of logins) merged.set(host, login)
  }
  const registry = merged.get(registryHost)
  if (registry) merged.set(routeHost(domain), registry)
  return merged
}

const clusterSecret = { namespace: secrets.pullSecret.namespace, name: secrets.pullSecret.name }

function notThere(seen: Exclude<Seen<KubeObject>, { state: 'here' }>): Verdict<never> {
  return seen.state === 'unknown' ? { state: 'bad', problem: seen.problem } : seen
}

function domainIn({ dns }: TrustFacts): string | InputProblem {
  if (dns.is === 'bad') return dns.problem
  const domain = dns.is === 'given' ? dns.object.spec.baseDomain : undefined
  const message = 'DNS cluster does not say spec.baseDomain: set it'
  return domain || { reason: trustReasons.missing, message }
}
