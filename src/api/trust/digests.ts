import { contentDigest, sha256Hex } from '@machinist/core/digest'
import { isObject, jsonOrUndefined } from '@machinist/core/json'
import type { ControllerConfigSpec } from '../kinds/controller-config.ts'
import type { TrustItem } from './items.ts'
import { registryHost, trustItems } from './items.ts'

/**
 * What nodes shall hold of each item, as digests: enough to tell whether anything is to be done without reading a single
 * certificate. An item that is not there is not given by the cluster.
 */
export type TrustDigests = Readonly<Partial<Record<TrustItem, string>>>

/** A bundle as it is on disk: the same bytes, and a line end if they had none. */
export function bundleFile(data: string): Uint8Array {
  const bytes = Buffer.from(data, 'base64')
  return bytes.at(-1) === newline ? bytes : Buffer.concat([bytes, Buffer.from([newline])])
}

/** CAs by registry host, as files. Where both lists have a host, the administrator's counts. */
export function registryFiles(
  spec: Pick<ControllerConfigSpec, 'imageRegistryBundleData' | 'imageRegistryBundleUserData'>,
): ReadonlyMap<string, Uint8Array> {
  const bundles = [
    ...(spec.imageRegistryBundleData ?? []),
    ...(spec.imageRegistryBundleUserData ?? []),
  ]
  return new Map(bundles.map(({ file, data }) => [registryHost(file), Buffer.from(data, 'base64')]))
}

/** For every item that is in the ControllerConfig itself. */
export function specDigests(spec: ControllerConfigSpec): TrustDigests {
  const { kubeAPIServerServingCAData, cloudProviderCAData, internalRegistryPullSecret } = spec
  const registries = registryFiles(spec)
  return {
    ...(kubeAPIServerServingCAData && {
      [trustItems.kubeletClientCA]: sha256Hex(bundleFile(kubeAPIServerServingCAData)),
    }),
    ...(cloudProviderCAData && {
      [trustItems.cloudCA]: sha256Hex(bundleFile(cloudProviderCAData)),
    }),
    ...(registries.size > 0 && { [trustItems.registryCAs]: registriesDigest(registries) }),
    ...(internalRegistryPullSecret && {
      [trustItems.pullSecret]: sha256Hex(Buffer.from(internalRegistryPullSecret, 'base64')),
    }),
  }
}

export function registriesDigest(files: ReadonlyMap<string, Uint8Array>): string {
  return hostsDigest([...files].map(([host, file]) => [host, sha256Hex(file)]))
}

/** The same, of files of which only their digests are known: a ledger has one for each host. */
export function hostsDigest(files: Iterable<readonly [host: string, digest: string]>): string {
  return contentDigest(Object.fromEntries(files))
}

/** Of certificates as a set: in another order, or written in another way, they are the same. */
export function fingerprintsDigest(fingerprints: Iterable<string>): string {
  return contentDigest([...new Set(fingerprints)].sort())
}

/** As the annotation has them; undefined if it is absent or says nothing that can be understood. */
export function readTrustDigests(annotation: string | undefined): TrustDigests | undefined {
  if (annotation === undefined) return undefined
  const said = jsonOrUndefined(annotation)
  if (!isObject(said)) return undefined
  const known = Object.values(trustItems).flatMap((item) => {
    const digest = said[item]
    return typeof digest === 'string' ? [[item, digest] as const] : []
  })
  return Object.fromEntries(known)
}

const newline = 0x0a
