import type { Infrastructure } from '../../api/openshift-config.ts'

/** What decides whether a cluster has to have a ConfigMap kube-cloud-config, and what in it. */
export interface CloudSituation {
  readonly isThere: boolean
  /** Whether it has the key cloud.conf. */
  readonly hasConfig: boolean
  readonly platform: string
  /** Whether Infrastructure names a cloud config. */
  readonly isNamed: boolean
}

export interface CloudRules {
  /** `value`: what is under cloud.conf; `empty`: there is none, and that is fine. */
  readonly config: 'value' | 'empty' | 'object missing' | 'key missing'
  /** `if given`: what is under ca-bundle.pem, if anything. */
  readonly ca: 'if given' | 'none' | 'object missing'
}

const needingConfig: ReadonlySet<string> = new Set(['Azure', 'GCP', 'OpenStack', 'VSphere'])

export function cloudRules({ isThere, hasConfig, platform, isNamed }: CloudSituation): CloudRules {
  const needsConfig = needingConfig.has(platform)
  if (!isThere && (needsConfig || isNamed))
    return { config: 'object missing', ca: 'object missing' }
  if (!isThere) return { config: 'empty', ca: 'none' }
  if (hasConfig) return { config: 'value', ca: 'if given' }
  // The CA does not depend on the rest: what is wrong with one never holds up the other.
  return { config: needsConfig ? 'key missing' : 'empty', ca: 'if given' }
}

/** As Infrastructure says it; `None` without one. */
export function cloudPlatform(infrastructure: Infrastructure | undefined): string {
  const { platformStatus, platform } = infrastructure?.status ?? {}
  return platformStatus?.type || platform || 'None'
}

export function isCloudConfigNamed(infrastructure: Infrastructure | undefined): boolean {
  return Boolean(infrastructure?.spec.cloudConfig?.name)
}
