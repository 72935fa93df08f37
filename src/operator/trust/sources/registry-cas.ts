import type { ConfigMap } from '@machinist/kube/kinds/core'
import { namespaces, registryCAs } from '../../../api/names.ts'
import type { RegistryBundle } from '../../../api/kinds/controller-config.ts'
import type { InputProblem } from '../../inputs/problem.ts'
import { base64 } from '../bundles/bundle-result.ts'
import type { TrustFacts, InputResult } from '../facts/facts.ts'
import { configMapIn, isToBeRemoved } from '../facts/facts.ts'
import { partOf } from '../bundles/bundle-part.ts'
import { keysOf } from '../../../fleet/trust/read-ca.ts'
import { trustReasons } from '../facts/reasons.ts'

type Bundles = readonly RegistryBundle[]

/** The CAs of the cluster's own image registries, if there are any. */
export function managedRegistryCAs(facts: TrustFacts): InputResult<Bundles> {
  const seen = configMapIn(facts, registryCAs.managed)
  if (seen.state === 'absent') return { state: 'absent' }
  if (seen.state === 'unknown') return { state: 'invalid', problem: seen.problem }
  return bundlesIn(seen.object, facts.lastGood.imageRegistryBundleData, facts.now)
}

/** The CAs of image registries that the administrator references. Removing the reference removes them; a missing ConfigMap does not. */
export function userRegistryCAs(facts: TrustFacts): InputResult<Bundles> {
  const { image } = facts
  if (image.type === 'invalid') return { state: 'invalid', problem: image.problem }
  const name = image.type === 'given' ? image.object.spec.additionalTrustedCA?.name : undefined
  if (!name) return { state: 'absent' }
  const seen = configMapIn(facts, { namespace: namespaces.config, name })
  if (seen.state === 'unknown') return { state: 'invalid', problem: seen.problem }
  if (seen.state === 'absent') return { state: 'invalid', problem: missingConfigMap(name) }
  return bundlesIn(seen.object, facts.lastGood.imageRegistryBundleUserData, facts.now)
}

/** Each registry is independent: one with an invalid key keeps its last valid CAs. */
function bundlesIn(
  configMap: Readonly<ConfigMap>,
  before: Bundles,
  now: number,
): InputResult<Bundles> {
  if (isToBeRemoved(configMap)) return { state: 'absent' }
  const problems: InputProblem[] = []
  const value = keysOf(configMap).flatMap((file): RegistryBundle[] => {
    const part = partOf({ state: 'present', object: configMap }, file, now)
    if (part.state === 'valid') return [{ file, data: base64(part.bytes) }]
    if (part.state === 'invalid') problems.push(part.problem)
    return before.filter((bundle) => bundle.file === file).slice(0, 1)
  })
  const [first] = problems
  if (!first) return value.length > 0 ? { state: 'valid', value } : { state: 'absent' }
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more keys)` : ''
  return { state: 'invalid', problem: { ...first, message: first.message + more }, value }
}

function missingConfigMap(name: string): InputProblem {
  const message = `ConfigMap ${namespaces.config}/${name}, which spec.additionalTrustedCA of Image cluster references, is missing: create it, or remove the reference`
  return { reason: trustReasons.missing, message }
}
