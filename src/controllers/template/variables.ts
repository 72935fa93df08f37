import { ownControllerConfigAnnotations } from '../../api/annotations.ts'
import { distributionOf } from '../../api/distribution.ts'
import type { ControllerConfig } from '../../api/resources.ts'
import { certificateDeliveries } from '../../api/trust/items.ts'
import { isBase64, lenientUtf8 } from '@machinist/core/bytes'
import { InvalidInput } from '@machinist/core/errors'
import { isObject } from '@machinist/core/json'
import type { Platform } from './platform.ts'

const containerRuntimes = ['crio', 'containerd'] as const

/** What templates can use, by name. Bytes are given as text, and objects with their keys in order. */
export type Variables = Readonly<Record<string, unknown>>

/** What runs the containers of all nodes. Throws InvalidInput where the annotation says neither. */
export function containerRuntimeOf(
  controllerConfig: Pick<ControllerConfig, 'metadata'>,
): (typeof containerRuntimes)[number] {
  return choice(
    controllerConfig,
    ownControllerConfigAnnotations.containerRuntime,
    containerRuntimes,
  )
}

/** All but `role`, which is the same for no two. Throws InvalidInput where an annotation or a field cannot be used. */
export function variablesOf(
  controllerConfig: ControllerConfig,
  platform: Platform,
  pullSecret: string,
): Variables {
  const { spec } = controllerConfig
  const { certificateDelivery } = ownControllerConfigAnnotations
  const registryBundles = (field: 'imageRegistryBundleData' | 'imageRegistryBundleUserData') =>
    (spec[field] ?? []).map(({ file, data }) => ({ file, data: decoded(data, `spec.${field}`) }))
  return {
    platform: platform.type,
    controlPlaneTopology: platform.topology,
    cloudProvider: platform.cloudProvider,
    credentialProvider: platform.credentialProvider,
    certificateDelivery: choice(controllerConfig, certificateDelivery, certificateDeliveries),
    containerRuntime: containerRuntimeOf(controllerConfig),
    distribution: distributionOf(controllerConfig),
    pullSecret,
    clusterDNSIP: spec.clusterDNSIP ?? '',
    cloudProviderConfig: spec.cloudProviderConfig ?? '',
    kubeAPIServerServingCAData: decoded(
      spec.kubeAPIServerServingCAData,
      'spec.kubeAPIServerServingCAData',
    ),
    rootCAData: decoded(spec.rootCAData, 'spec.rootCAData'),
    cloudProviderCAData: decoded(spec.cloudProviderCAData, 'spec.cloudProviderCAData'),
    additionalTrustBundle: decoded(spec.additionalTrustBundle, 'spec.additionalTrustBundle'),
    imageRegistryBundleData: registryBundles('imageRegistryBundleData'),
    imageRegistryBundleUserData: registryBundles('imageRegistryBundleUserData'),
    images: inOrder(spec.images ?? {}),
    baseOSContainerImage: spec.baseOSContainerImage ?? '',
    baseOSExtensionsContainerImage: spec.baseOSExtensionsContainerImage ?? '',
    releaseImage: spec.releaseImage ?? '',
    proxy: { httpProxy: '', httpsProxy: '', noProxy: '', ...spec.proxy },
    infra: inOrder(spec.infra ?? null),
    dns: inOrder(spec.dns ?? null),
    ipFamilies: spec.ipFamilies ?? '',
    networkType: spec.networkType ?? '',
    network: inOrder(spec.network ?? null),
    bgpVIPPeersJSON: spec.bgpVIPPeersJSON ?? '',
  }
}

function choice<T extends string>(
  { metadata }: Pick<ControllerConfig, 'metadata'>,
  annotation: string,
  choices: readonly [T, ...T[]],
): T {
  const said = metadata.annotations?.[annotation]
  const found = said ? choices.find((one) => one === said) : choices[0]
  if (found !== undefined) return found
  throw new InvalidInput(
    `annotation ${annotation} is ${JSON.stringify(said)}; use ${choices.join(' or ')}`,
  )
}

function decoded(data: string | null | undefined, field: string): string {
  if (!data) return ''
  if (!isBase64(data)) throw new InvalidInput(`${field} is not valid base64`)
  return lenientUtf8(Buffer.from(data, 'base64'))
}

/** A template that walks over an object must not depend on who wrote it down. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, inOrder(value[name])]),
  )
}
