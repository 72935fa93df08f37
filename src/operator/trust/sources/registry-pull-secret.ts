import type { KubeObject } from '@machinist/core/objects/resource'
import { registryPuller, secrets } from '../../../api/names.ts'
import type { InputProblem } from '../../inputs/problem.ts'
import { base64 } from '../bundles/bundle-result.ts'
import type { RegistryLogin, RegistryLogins } from '../../../api/trust/registry-logins.ts'
import { loginsText } from '../../../api/trust/registry-logins.ts'
import type { ObservedObject, TrustFacts, InputResult } from '../facts/facts.ts'
import { isToBeRemoved } from '../facts/facts.ts'
import { trustReasons } from '../facts/reasons.ts'
import { loginsForms, loginsIn } from './secret-logins.ts'

/** The internal registry, and its external name, which nodes use before the cluster network is available. */
const registryHost = 'image-registry.openshift-image-registry.svc:5000'
const routeHost = (domain: string): string =>
  `default-route-openshift-image-registry.apps.${domain}`

/** The logins for the internal registry. Absent without this registry or without its puller ServiceAccount. */
export function registryPullSecret(facts: TrustFacts): InputResult<string> {
  const { registryOperator, puller } = facts
  if (registryOperator.state !== 'present') return unavailable(registryOperator)
  if (puller.state !== 'present') return unavailable(puller)
  if (isToBeRemoved(puller.object)) return { state: 'absent' }
  const domain = domainIn(facts)
  if (typeof domain !== 'string') return { state: 'invalid', problem: domain }
  const { namespace } = registryPuller
  const names = (puller.object.imagePullSecrets ?? []).flatMap(({ name }) => name || [])
  const all = [
    ...names.map((name) => loginsIn(facts, { namespace, name }, loginsForms.serviceAccount)),
    loginsIn(facts, clusterSecret, loginsForms.cluster),
  ]
  const broken = all.find((one) => 'problem' in one)
  if (broken) return { state: 'invalid', problem: broken.problem }
  const merged = mergeLogins(
    all.flatMap((one) => ('logins' in one ? [one.logins] : [])),
    domain,
  )
  if (merged.size === 0) return { state: 'absent' }
  return { state: 'valid', value: base64(Buffer.from(loginsText(merged))) }
}

/** Later logins override earlier ones; the login of the internal registry also applies to its external name. */
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

function unavailable(
  seen: Exclude<ObservedObject<KubeObject>, { state: 'present' }>,
): InputResult<never> {
  return seen.state === 'unknown' ? { state: 'invalid', problem: seen.problem } : seen
}

function domainIn({ dns }: TrustFacts): string | InputProblem {
  if (dns.type === 'invalid') return dns.problem
  const domain = dns.type === 'given' ? dns.object.spec.baseDomain : undefined
  const message = 'DNS cluster: spec.baseDomain is missing; set it'
  return domain || { reason: trustReasons.missing, message }
}
