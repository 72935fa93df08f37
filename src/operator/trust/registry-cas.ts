import { namespaces, registryCAs } from '../../api/names.ts'
import type { RegistryBundle } from '../../api/kinds/controller-config.ts'
import type { ConfigMap } from '@machinist/kube/kinds/core'
import type { InputProblem } from '../inputs/problem.ts'
import { base64 } from './bundle-verdict.ts'
import type { TrustFacts, Verdict } from './facts.ts'
import { configMapIn, isToBeRemoved } from './facts.ts'
import { partOf } from './part.ts'
import { keysOf } from '../../fleet/trust/read-ca.ts'
import { trustReasons } from './reasons.ts'

type Bundles = readonly RegistryBundle[]

/** CAs of image registries that the cluster runs. There may be none. */
export function managedRegistryCAs(facts: TrustFacts): Verdict<Bundles> {
  const seen = configMapIn(facts, registryCAs.managed)
  if (seen.state === 'absent') return { state: 'absent' }
  if (seen.state === 'unknown') return { state: 'bad', problem: seen.problem }
  return bundlesIn(seen.object, facts.lastGood.imageRegistryBundleData, facts.now)
}

/** CAs of image registries that the administrator names. Taking away the name takes them away; losing the ConfigMap does not. */
export function userRegistryCAs(facts: TrustFacts): Verdict<Bundles> {
  const { image } = facts
  if (image.is === 'bad') return { state: 'bad', problem: image.problem }
  const name = image.is === 'given' ? image.object.spec.additionalTrustedCA?.name : undefined
  if (!name) return { state: 'absent' }
  const seen = configMapIn(facts, { namespace: namespaces.config, name })
  if (seen.state === 'unknown') return { state: 'bad', problem: seen.problem }
  if (seen.state === 'absent') return { state: 'bad', problem: lost(name) }
  return bundlesIn(seen.object, facts.lastGood.imageRegistryBundleUserData, facts.now)
}

/** Each registry by itself: where a key is bad, that registry keeps its last good CAs, and the others go on. */
function bundlesIn(configMap: Readonly<ConfigMap>, before: Bundles, now: number): Verdict<Bundles> {
  if (isToBeRemoved(configMap)) return { state: 'absent' }
  const problems: InputProblem[] = []
  const value = keysOf(configMap).flatMap((file): RegistryBundle[] => {
    const part = partOf({ state: 'here', object: configMap }, file, now)
    if (part.state === 'good') return [{ file, data: base64(part.bytes) }]
    if (part.state === 'bad') problems.push(part.problem)
    return before.filter((bundle) => bundle.file === file).slice(0, 1)
  })
  const [first] = problems
  if (!first) return value.length > 0 ? { state: 'good', value } : { state: 'absent' }
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more keys)` : ''
  return { state: 'bad', problem: { ...first, message: first.message + more }, value }
}

function lost(name: string): InputProblem {
  const message = `ConfigMap ${namespaces.config}/${name}, which spec.additionalTrustedCA of Image cluster names, is not there: bring it back, or take the name away`
  return { reason: trustReasons.missing, message }
}
