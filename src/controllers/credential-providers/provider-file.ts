import { InvalidInput } from '@machinist/core/errors'
import { isObject } from '@machinist/core/json'
import { parseYaml, toYaml } from '@machinist/core/yaml'

/** A provider as the file has it; what is not named here stays as it is. */
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

/** The program in the kubelet's directory of providers; it comes with CRI-O. */
export const crioProvider = 'crio-credential-provider'

/** Where nobody is asked yet. */
export const noProviders: ProviderConfig = {
  apiVersion: 'kubelet.config.k8s.io/v1',
  kind: 'CredentialProviderConfig',
  providers: [],
}

/** InvalidInput, with `where` in it, for what no kubelet could read. */
export function parseProviders(text: string, where: string): ProviderConfig {
  const value = parseYaml(text, where)
  const providers = isObject(value) ? value['providers'] : undefined
  if (!isObject(value) || !Array.isArray(providers) || !providers.every(isProvider)) {
    throw new InvalidInput(`${where} is no CredentialProviderConfig`)
  }
  return { ...value, providers }
}

/** The same with CRI-O's provider for these images: behind all others, or where it is already. */
export function withCrioProvider(
  config: ProviderConfig,
  matchImages: readonly string[],
): ProviderConfig {
  const { providers } = config
  const isThere = providers.some(({ name }) => name === crioProvider)
  return {
    ...config,
    providers: isThere
      ? providers.map((one) => (one.name === crioProvider ? { ...one, matchImages } : one))
      : [...providers, { ...newProvider, matchImages }],
  }
}

export const providersText = (config: ProviderConfig): string => toYaml(config)

/** It reads Secrets with the token of the pod's ServiceAccount; for pods without one it is asked all the same. */
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
