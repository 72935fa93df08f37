import { configMaps as known } from '../../api/names.ts'
import { keyText, referenceTo } from '@machinist/core/resource'
import { configMaps } from '@machinist/kube/kinds/core'
import { problemReasons } from '../inputs/problem.ts'
import { cloudPlatform, cloudRules, isCloudConfigNamed } from '../trust/cloud-rules.ts'
import type { ClusterFacts } from './cluster-facts.ts'
import type { Finding } from './finding.ts'
import { problem } from './finding.ts'

/** The cloud's own configuration file. Not every platform has one, and some must. */
export function cloudConfigFinding({ cloudConfig, infrastructure, stored }: ClusterFacts): Finding {
  if (cloudConfig.is === 'bad') return { problem: cloudConfig.problem }
  const { key } = known.cloudConfig
  const configMap = cloudConfig.is === 'given' ? cloudConfig.object : undefined
  const config = configMap?.data?.[key]
  // What was good last also decides which cloud this is.
  const remembered = infrastructure.is === 'bad' ? (stored?.spec.infra ?? undefined) : undefined
  const infra = infrastructure.is === 'given' ? infrastructure.object : remembered
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
        problem: problem(
          problemReasons.missing,
          `${where} is missing: platform ${platform} needs it`,
          undefined,
        ),
      }
    case 'key missing':
      return {
        problem: problem(
          problemReasons.missing,
          `${where} lacks the key ${key}: platform ${platform} needs it`,
          configMap && referenceTo(configMaps, configMap),
        ),
      }
  }
}
