import { keyText, referenceTo } from '@machinist/core/objects/resource'
import { configMaps } from '@machinist/kube/kinds/core'
import { configMaps as known } from '../../api/names.ts'
import { problemReasons } from '../inputs/problem.ts'
import { cloudPlatform, cloudRules, isCloudConfigNamed } from '../trust/sources/cloud-rules.ts'
import type { ClusterFacts } from './facts.ts'
import type { Finding } from './finding.ts'
import { inputProblem } from './finding.ts'

/** The configuration file of the cloud provider. Some platforms require it, others do not have it. */
export function cloudConfigFinding({ cloudConfig, infrastructure, stored }: ClusterFacts): Finding {
  if (cloudConfig.type === 'invalid') return { problem: cloudConfig.problem }
  const { key } = known.cloudConfig
  const configMap = cloudConfig.type === 'given' ? cloudConfig.object : undefined
  const config = configMap?.data?.[key]
  // The last valid Infrastructure also determines the platform.
  const remembered =
    infrastructure.type === 'invalid' ? (stored?.spec.infra ?? undefined) : undefined
  const infra = infrastructure.type === 'given' ? infrastructure.object : remembered
  const platform = cloudPlatform(infra)
  const rules = cloudRules({
    isThere: configMap !== undefined,
    hasConfig: config !== undefined,
    platform,
    isNamed: isCloudConfigNamed(infra),
  })
  const where = `ConfigMap ${keyText({ namespace: known.cloudConfig.namespace, name: known.cloudConfig.name })}`
  switch (rules.config) {
    case 'value':
      return { spec: { cloudProviderConfig: config! } }
    case 'empty':
      return { spec: { cloudProviderConfig: '' } }
    case 'object missing':
      return {
        problem: inputProblem(
          problemReasons.missing,
          `${where} is missing: platform ${platform} requires it; create it`,
          undefined,
        ),
      }
    case 'key missing':
      return {
        problem: inputProblem(
          problemReasons.missing,
          `${where} has no key ${key}: platform ${platform} requires it; add it`,
          configMap && referenceTo(configMaps, configMap),
        ),
      }
  }
}
