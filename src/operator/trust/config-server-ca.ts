import { configMaps } from '../../api/names.ts'
import { bundleVerdict, isInstalled } from './bundle-verdict.ts'
import type { TrustFacts, Verdict } from './facts.ts'
import { neededPart, partIn } from './part.ts'

/** By whose certificates joining machines know the config server: the rotated CA where there is one, else the installer's. */
export function configServerCA(facts: TrustFacts): Verdict<string> {
  const rotated = partIn(facts, configMaps.serverCA)
  if (rotated.state !== 'absent') return bundleVerdict(rotated)
  const isNeeded = Boolean(facts.lastGood.rootCAData) || isInstalled(facts)
  return bundleVerdict(neededPart(partIn(facts, configMaps.rootCA), configMaps.rootCA, isNeeded))
}
