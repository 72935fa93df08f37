import { contentDigest, sha256Hex } from '@machinist/core/encoding/digest'
import { isObject, jsonOrUndefined } from '@machinist/core/encoding/json'
import type { TrustItem } from './items.ts'
import { registryHost, trustItems } from './items.ts'

/**
 * The digest of each item that the cluster provides. Daemons compare digests to find out whether they must read and write a
 * payload. An item that the cluster does not provide is absent.
 */
export type TrustDigests = Readonly<Partial<Record<TrustItem, string>>>

interface RegistryPayloads {
  readonly imageRegistryBundleData?: readonly RegistryPayload[]
  readonly imageRegistryBundleUserData?: readonly RegistryPayload[]
}

interface RegistryPayload {
  readonly file: string
  readonly data: string
}

/** The fields of a ControllerConfig's spec that the trust lane delivers, in base64. */
export interface TrustPayloads extends RegistryPayloads {
  readonly kubeAPIServerServingCAData: string | null
  readonly cloudProviderCAData: string | null
  readonly internalRegistryPullSecret?: string | null
}

/** The file content of a bundle: its bytes, terminated by a newline. */
export function bundleFile(data: string): Uint8Array {
  const bytes = Buffer.from(data, 'base64')
  return bytes.at(-1) === newline ? bytes : Buffer.concat([bytes, Buffer.from([newline])])
}

/** CA files by registry host. The administrator's entry for a host replaces the cluster's. */
export function registryFiles(spec: RegistryPayloads): ReadonlyMap<string, Uint8Array> {
  const bundles = [
    ...(spec.imageRegistryBundleData ?? []),
    ...(spec.imageRegistryBundleUserData ?? []),
  ]
  return new Map(bundles.map(({ file, data }) => [registryHost(file), Buffer.from(data, 'base64')]))
}

/** The digests of the items whose payload is in the ControllerConfig's spec. */
export function specDigests(spec: TrustPayloads): TrustDigests {
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

/** Same as `registriesDigest`, from the file digests that a ledger holds per host. */
export function hostsDigest(files: Iterable<readonly [host: string, digest: string]>): string {
  return contentDigest(Object.fromEntries(files))
}

/** The digest of a set of certificates: order, duplicates and PEM formatting do not matter. */
export function fingerprintsDigest(fingerprints: Iterable<string>): string {
  return contentDigest([...new Set(fingerprints)].sort())
}

/** Parses the annotation; undefined if it is absent or not a JSON object. */
export function readTrustDigests(annotation: string | undefined): TrustDigests | undefined {
  if (annotation === undefined) return undefined
  const parsed = jsonOrUndefined(annotation)
  if (!isObject(parsed)) return undefined
  const known = Object.values(trustItems).flatMap((item) => {
    const digest = parsed[item]
    return typeof digest === 'string' ? [[item, digest] as const] : []
  })
  return Object.fromEntries(known)
}

const newline = 0x0a
