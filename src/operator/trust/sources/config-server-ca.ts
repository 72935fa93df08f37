import { configMaps } from '../../../api/names.ts'
import { bundleResult, isInstalled } from '../bundles/bundle-result.ts'
import type { TrustFacts, InputResult } from '../facts/facts.ts'
import { requiredPart, partIn } from '../bundles/bundle-part.ts'

/** The CA by which joining machines verify the machine config server: the rotated CA if there is one, or else the installer's. */
export function configServerCA(facts: TrustFacts): InputResult<string> {
  const rotated = partIn(facts, configMaps.serverCA)
  if (rotated.state !== 'absent') return bundleResult(rotated)
  const isNeeded = Boolean(facts.lastGood.rootCAData) || isInstalled(facts)
  return bundleResult(requiredPart(partIn(facts, configMaps.rootCA), configMaps.rootCA, isNeeded))
}
