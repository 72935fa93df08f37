import type { Infrastructure } from '../../../api/openshift-config.ts'

/** The facts that determine whether a cluster requires ConfigMap kube-cloud-config, and which keys. */
export interface CloudSituation {
  readonly isThere: boolean
  /** Whether it has the key cloud.conf. */
  readonly hasConfig: boolean
  readonly platform: string
  /** Whether Infrastructure names a cloud config. */
  readonly isNamed: boolean
}

export interface CloudRules {
  /** `value`: the content of cloud.conf; `empty`: there is none, and none is required. */
  readonly config: 'value' | 'empty' | 'object missing' | 'key missing'
  /** `if given`: the content of ca-bundle.pem, if it is set. */
  readonly ca: 'if given' | 'none' | 'object missing'
}

const needingConfig: ReadonlySet<string> = new Set(['Azure', 'GCP', 'OpenStack', 'VSphere'])

export function cloudRules({ isThere, hasConfig, platform, isNamed }: CloudSituation): CloudRules {
  const needsConfig = needingConfig.has(platform)
  if (!isThere && (needsConfig || isNamed))
    return { config: 'object missing', ca: 'object missing' }
  if (!isThere) return { config: 'empty', ca: 'none' }
  if (hasConfig) return { config: 'value', ca: 'if given' }
  // The CA is independent of the config: a problem with one never blocks the other.
  return { config: needsConfig ? 'key missing' : 'empty', ca: 'if given' }
}

/** The platform of the Infrastructure; `None` without one. */
export function cloudPlatform(infrastructure: Infrastructure | undefined): string {
  const { platformStatus, platform } = infrastructure?.status ?? {}
  return platformStatus?.type || platform || 'None'
}

export function isCloudConfigNamed(infrastructure: Infrastructure | undefined): boolean {
  return Boolean(infrastructure?.spec.cloudConfig?.name)
}
