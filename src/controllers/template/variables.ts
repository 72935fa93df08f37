import { isBase64, lenientUtf8 } from '@machinist/core/encoding/bytes'
import { InvalidInput } from '@machinist/core/errors'
import { isObject } from '@machinist/core/encoding/json'
import { ownControllerConfigAnnotations } from '../../api/annotations.ts'
import { distributionOf } from '../../api/distribution.ts'
import type { ControllerConfig } from '../../api/kinds/resources.ts'
import { certificateDeliveries } from '../../api/trust/items.ts'
import type { TemplatePlatform } from './platform.ts'

const containerRuntimes = ['crio', 'containerd'] as const

/** The variables of templates. Bytes are decoded to text, and objects have sorted keys. */
export type TemplateVariables = Readonly<Record<string, unknown>>

/** The container runtime of all nodes. Throws InvalidInput for an unknown value of the annotation. */
export function containerRuntimeOf(
  controllerConfig: Pick<ControllerConfig, 'metadata'>,
): (typeof containerRuntimes)[number] {
  return choiceOf(
    controllerConfig,
    ownControllerConfigAnnotations.containerRuntime,
    containerRuntimes,
  )
}

/** All variables except `role`. Throws InvalidInput for an invalid annotation or field. */
export function variablesOf(
  controllerConfig: ControllerConfig,
  platform: TemplatePlatform,
  pullSecret: string,
): TemplateVariables {
  const { spec } = controllerConfig
  const { certificateDelivery } = ownControllerConfigAnnotations
  const registryBundles = (field: 'imageRegistryBundleData' | 'imageRegistryBundleUserData') =>
    (spec[field] ?? []).map(({ file, data }) => ({
      file,
      data: decodeBytes(data, `spec.${field}`),
    }))
  return {
    platform: platform.type,
    controlPlaneTopology: platform.topology,
    cloudProvider: platform.cloudProvider,
    credentialProvider: platform.credentialProvider,
    certificateDelivery: choiceOf(controllerConfig, certificateDelivery, certificateDeliveries),
    containerRuntime: containerRuntimeOf(controllerConfig),
    distribution: distributionOf(controllerConfig),
    pullSecret,
    clusterDNSIP: spec.clusterDNSIP ?? '',
    cloudProviderConfig: spec.cloudProviderConfig ?? '',
    kubeAPIServerServingCAData: decodeBytes(
      spec.kubeAPIServerServingCAData,
      'spec.kubeAPIServerServingCAData',
    ),
    rootCAData: decodeBytes(spec.rootCAData, 'spec.rootCAData'),
    cloudProviderCAData: decodeBytes(spec.cloudProviderCAData, 'spec.cloudProviderCAData'),
    additionalTrustBundle: decodeBytes(spec.additionalTrustBundle, 'spec.additionalTrustBundle'),
    imageRegistryBundleData: registryBundles('imageRegistryBundleData'),
    imageRegistryBundleUserData: registryBundles('imageRegistryBundleUserData'),
    images: withSortedKeys(spec.images ?? {}),
    baseOSContainerImage: spec.baseOSContainerImage ?? '',
    baseOSExtensionsContainerImage: spec.baseOSExtensionsContainerImage ?? '',
    releaseImage: spec.releaseImage ?? '',
    proxy: { httpProxy: '', httpsProxy: '', noProxy: '', ...spec.proxy },
    infra: withSortedKeys(spec.infra ?? null),
    dns: withSortedKeys(spec.dns ?? null),
    ipFamilies: spec.ipFamilies ?? '',
    networkType: spec.networkType ?? '',
    network: withSortedKeys(spec.network ?? null),
    bgpVIPPeersJSON: spec.bgpVIPPeersJSON ?? '',
  }
}

function choiceOf<T extends string>(
  { metadata }: Pick<ControllerConfig, 'metadata'>,
  annotation: string,
  choices: readonly [T, ...T[]],
): T {
  const value = metadata.annotations?.[annotation]
  const found = value ? choices.find((one) => one === value) : choices[0]
  if (found !== undefined) return found
  throw new InvalidInput(
    `annotation ${annotation} is ${JSON.stringify(value)}; use ${choices.join(' or ')}`,
  )
}

function decodeBytes(data: string | null | undefined, field: string): string {
  if (!data) return ''
  if (!isBase64(data)) throw new InvalidInput(`${field} is not valid base64`)
  return lenientUtf8(Buffer.from(data, 'base64'))
}

/** Loops over objects in templates must not depend on the order of keys. */
function withSortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSortedKeys)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, withSortedKeys(value[name])]),
  )
}
