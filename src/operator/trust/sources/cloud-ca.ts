import { configMaps } from '../../../api/names.ts'
import { bundleResult } from '../bundles/bundle-result.ts'
import type { TrustFacts, InputResult } from '../facts/facts.ts'
import { configMapIn } from '../facts/facts.ts'
import { requiredPart, objectOf, partIn } from '../bundles/bundle-part.ts'
import { cloudPlatform, cloudRules, isCloudConfigNamed } from './cloud-rules.ts'

/** The CAs of the cloud. If the ConfigMap exists without the key, the cloud has none. */
export function cloudCA(facts: TrustFacts): InputResult<string> {
  const source = configMaps.cloudCA
  const seen = configMapIn(facts, objectOf(source))
  const part = partIn(facts, source, { isKeyOptional: true })
  if (seen.state !== 'absent') return bundleResult(part)
  if (facts.infrastructure.type === 'invalid') {
    return { state: 'invalid', problem: facts.infrastructure.problem }
  }
  const infrastructure =
    facts.infrastructure.type === 'given' ? facts.infrastructure.object : undefined
  const { ca } = cloudRules({
    isThere: false,
    hasConfig: false,
    platform: cloudPlatform(infrastructure),
    isNamed: isCloudConfigNamed(infrastructure),
  })
  return bundleResult(requiredPart(part, source, ca === 'object missing'))
}
