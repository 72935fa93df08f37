import { InvalidInput } from '@machinist/core/errors'
import { isObject } from '@machinist/core/encoding/json'
import { parseYaml, toYaml } from '@machinist/core/encoding/yaml'

/** A provider of the file; other fields are preserved. */
export interface Provider {
  readonly name: string
  readonly matchImages: readonly string[]
  readonly [field: string]: unknown
}

/** A CredentialProviderConfig (kubelet.config.k8s.io/v1). */
export interface ProviderConfig {
  readonly providers: readonly Provider[]
  readonly [field: string]: unknown
}

/** The executable in the provider directory of the kubelet; CRI-O ships it. */
export const crioProvider = 'crio-credential-provider'

/** A configuration without providers. */
export const noProviders: ProviderConfig = {
  apiVersion: 'kubelet.config.k8s.io/v1',
  kind: 'CredentialProviderConfig',
  providers: [],
}

/** Throws InvalidInput that names `where` for files that kubelets cannot read. */
export function parseProviders(text: string, where: string): ProviderConfig {
  const value = parseYaml(text, where)
  const providers = isObject(value) ? value['providers'] : undefined
  if (!isObject(value) || !Array.isArray(providers) || !providers.every(isProvider)) {
    throw new InvalidInput(`${where} is not a CredentialProviderConfig`)
  }
  return { ...value, providers }
}

/** Adds CRI-O's provider for these images as the last one, or updates it in place. */
export function withCrioProvider(
  config: ProviderConfig,
  matchImages: readonly string[],
): ProviderConfig {
  const { providers } = config
  const exists = providers.some(({ name }) => name === crioProvider)
  return {
    ...config,
    providers: exists
      ? providers.map((one) => (one.name === crioProvider ? { ...one, matchImages } : one))
      : [...providers, { ...newProvider, matchImages }],
  }
}

export const providersText = (config: ProviderConfig): string => toYaml(config)

/** It reads Secrets with the token of the pod's ServiceAccount; the kubelet calls it for pods without one too. */
const newProvider = {
  name: crioProvider,
  apiVersion: 'credentialprovider.kubelet.k8s.io/v1',
  defaultCacheDuration: '1s',
  tokenAttributes: {
    serviceAccountTokenAudience: 'https://kubernetes.default.svc',
    cacheType: 'Token',
    requireServiceAccount: false,
  },
} as const

function isProvider(value: unknown): value is Provider {
  return (
    isObject(value) &&
    typeof value['name'] === 'string' &&
    Array.isArray(value['matchImages']) &&
    value['matchImages'].every((one) => typeof one === 'string')
  )
}
