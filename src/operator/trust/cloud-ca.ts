import { configMaps } from '../../api/names.ts'
import { bundleVerdict } from './bundle-verdict.ts'
import { cloudPlatform, cloudRules, isCloudConfigNamed } from './cloud-rules.ts'
import type { TrustFacts, Verdict } from './facts.ts'
import { configMapIn } from './facts.ts'
import { neededPart, objectOf, partIn } from './part.ts'

/** CAs of the cloud. Without the key in a ConfigMap that is there, the cloud needs none. */
export function cloudCA(facts: TrustFacts): Verdict<string> {
  const source = configMaps.cloudCA
  const seen = configMapIn(facts, objectOf(source))
  const part = partIn(facts, source, { isKeyOptional: true })
  if (seen.state !== 'absent') return bundleVerdict(part)
  if (facts.infrastructure.is === 'bad') {
    return { state: 'bad', problem: facts.infrastructure.problem }
  }
  const infrastructure =
    facts.infrastructure.is === 'given' ? facts.infrastructure.object : undefined
  const { ca } = cloudRules({
    isThere: false,
    hasConfig: false,
    platform: cloudPlatform(infrastructure),
    isNamed: isCloudConfigNamed(infrastructure),
  })
  return bundleVerdict(neededPart(part, source, ca === 'object missing'))
}
