import { lenientUtf8 } from '@machinist/core/encoding/bytes'
import type { KubeObject, ObjectKey, Resource } from '@machinist/core/objects/resource'
import { keyOf, keyText } from '@machinist/core/objects/resource'
import type { KubeClient } from '@machinist/kube/client/client'
import { ignoreNotFound, isForbidden, isNotFound } from '@machinist/kube/failure'
import type { ConfigMap } from '@machinist/kube/kinds/core'
import { configMaps, nodes, secrets } from '@machinist/kube/kinds/core'
import { readBundle } from '@machinist/pki/bundle'
import { certificateAnnotations } from '../../../api/annotations.ts'
import { certificateTypes, labels } from '../../../api/labels.ts'
import type { DataSource } from '../../../api/names.ts'
import { configMaps as sources, names, registryCAs, secrets as fixed } from '../../../api/names.ts'
import type { ControllerConfig } from '../../../api/kinds/resources.ts'
import * as api from '../../../api/kinds/resources.ts'
import { registryFiles } from '../../../api/trust/digests.ts'
import { trustItems } from '../../../api/trust/items.ts'
import { commonNameIn } from '../../../api/trust/signer-family.ts'
import { bytesOf, keysOf } from '../../../fleet/trust/read-ca.ts'
import type { BundleFacts, CertificateSecret, CertsFacts } from '../../../views/certs/facts.ts'
import { otherTrust } from '../../../views/certs/facts.ts'
import { goDuration } from '../../../views/certs/validity.ts'
import { refreshPeriods } from '../../../views/certs/rotations.ts'

/** The sources of each bundle, in the order in which components copy it. */
const bundleSources: readonly (readonly [of: string, source: DataSource])[] = [
  [trustItems.kubeletClientCA, sources.kubeletSignerBundle],
  [trustItems.kubeletClientCA, sources.kubeletClientCA],
  [trustItems.apiServerCA, sources.apiServerCA],
  [trustItems.apiServerCA, sources.kubeconfigData],
  [trustItems.cloudCA, sources.cloudCA],
  [otherTrust.configServer, sources.rootCA],
  [otherTrust.configServer, sources.serverCA],
  [otherTrust.user, sources.userCA],
]

/**
 * Reads all objects about certificates. Objects that are forbidden or whose kind does not exist are listed in `unread`; any other
 * failure, such as a lost connection, is thrown.
 */
export async function readCluster(client: KubeClient, now: number): Promise<CertsFacts> {
  const unread: string[] = []
  const attempt = async <T>(what: string, read: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await read()
    } catch (error) {
      if (isForbidden(error)) unread.push(`${what}: no permission to read`)
      else if (isNotFound(error)) unread.push(`${what}: not found in this cluster`)
      else throw error
      return undefined
    }
  }
  const all = async <T extends KubeObject>(place: Resource<T>): Promise<T[]> =>
    Array.fromAsync(client.listAll(place))
  const [controllerConfig, found, bundles, nodeTrusts, machines, pools, rotations] =
    await Promise.all([
      attempt('ControllerConfig', () =>
        optional(client, api.controllerConfigs, { name: names.controllerConfig }),
      ),
      readSecrets(client, attempt),
      readBundles(client, attempt),
      attempt('NodeTrusts', () => all(api.nodeTrusts)),
      attempt('Nodes', () => all(nodes)),
      attempt('MachineConfigPools', () => all(api.machineConfigPools)),
      // On most clusters another component rotates the CAs.
      attempt('TrustRotations', () => ignoreNotFound(all(api.trustRotations))),
    ])
  const periods = refreshPeriods(rotations ?? [])
  return {
    now,
    secrets: found.map((each) => withRefresh(periods.get(each.object), each)),
    bundles: [...bundles, ...(controllerConfig ? bundlesIn(controllerConfig) : [])],
    pools: pools ?? [],
    unread: unread.toSorted(),
    ...(controllerConfig && { controllerConfig }),
    ...(nodeTrusts && { nodeTrusts }),
    ...(machines && { nodes: machines }),
    ...(rotations && { rotations }),
  }
}

function withRefresh(refreshMs: number | undefined, secret: CertificateSecret): CertificateSecret {
  return refreshMs === undefined ? secret : { ...secret, refreshMs }
}

type Attempt = <T>(what: string, read: () => Promise<T>) => Promise<T | undefined>

/** A missing object is undefined; a missing kind is an error. */
async function optional<T extends KubeObject>(
  client: KubeClient,
  place: Resource<T>,
  key: ObjectKey,
): Promise<T | undefined> {
  try {
    return await client.get(place, key)
  } catch (error) {
    if (isNotFound(error) && error.status.details?.name === key.name) return undefined
    throw error
  }
}

/** Requests metadata only, so that the API server does not send private keys. */
async function readSecrets(client: KubeClient, attempt: Attempt): Promise<CertificateSecret[]> {
  const found = new Map<string, KubeObject>()
  await attempt('Secrets with certificates of all namespaces', async () => {
    let next: string | undefined
    do {
      const page = await client.listMetadata(secrets, {
        labels: labels.managedCertificateType,
        limit: 500,
        ...(next !== undefined && { continue: next }),
      })
      for (const each of page.items) found.set(keyText(keyOf(each)), each)
      next = page.continue
    } while (next !== undefined)
  })
  // The first Secrets of an installation have no label.
  for (const key of [fixed.kubeletSigner, fixed.kubeletClient, fixed.serverTLS]) {
    if (found.has(keyText(key))) continue
    await attempt(`Secret ${keyText(key)}`, async () => {
      const one = await ignoreNotFound(client.getMetadata(secrets, key))
      if (one) found.set(keyText(key), one)
    })
  }
  return [...found].map(([object, each]) => secretFacts(object, each)).toSorted(byObject)
}

function secretFacts(object: string, { metadata }: KubeObject): CertificateSecret {
  const annotations = metadata.annotations ?? {}
  const type = metadata.labels?.[labels.managedCertificateType]
  const isSigner = type === certificateTypes.signer || object === keyText(fixed.kubeletSigner)
  const issuer = annotations[certificateAnnotations.issuer]
  const notBefore = Date.parse(annotations[certificateAnnotations.notBefore] ?? '')
  const notAfter = Date.parse(annotations[certificateAnnotations.notAfter] ?? '')
  const refreshMs = goDuration(annotations[certificateAnnotations.refreshPeriod])
  return {
    object,
    type: isSigner ? 'signer' : 'target',
    ...(issuer && { issuer }),
    ...(Number.isFinite(notBefore) && { notBefore }),
    ...(Number.isFinite(notAfter) && { notAfter }),
    ...(refreshMs !== undefined && { refreshMs }),
  }
}

async function readBundles(client: KubeClient, attempt: Attempt): Promise<BundleFacts[]> {
  const read = (key: ObjectKey): Promise<ConfigMap | undefined> =>
    attempt(`ConfigMap ${keyText(key)}`, () => ignoreNotFound(client.get(configMaps, key)))
  const singles = bundleSources.map(async ([of, { namespace, name, key }]) => {
    const bytes = bytesIn(await read({ namespace, name }), key)
    return bytes ? [bundle(of, `${namespace}/${name}`, [bytes])] : []
  })
  const registries = read(registryCAs.merged).then((merged) => {
    const files = merged ? keysOf(merged).flatMap((key) => bytesIn(merged, key) ?? []) : []
    return files.length > 0
      ? [bundle(trustItems.registryCAs, keyText(registryCAs.merged), files)]
      : []
  })
  return (await Promise.all([...singles, registries])).flat()
}

/** The bundles that ControllerConfig delivers to nodes. */
function bundlesIn({ spec }: ControllerConfig): BundleFacts[] {
  const given: readonly (readonly [string, string | null | undefined])[] = [
    [trustItems.kubeletClientCA, spec.kubeAPIServerServingCAData],
    [trustItems.cloudCA, spec.cloudProviderCAData],
    [otherTrust.configServer, spec.rootCAData],
    [otherTrust.user, spec.additionalTrustBundle],
  ]
  const registries = [...registryFiles(spec).values()]
  const place = 'ControllerConfig'
  return [
    ...given.flatMap(([of, data]) =>
      data ? [bundle(of, place, [Buffer.from(data, 'base64')])] : [],
    ),
    ...(registries.length > 0 ? [bundle(trustItems.registryCAs, place, registries)] : []),
  ]
}

const bytesIn = (found: ConfigMap | undefined, key: string): Uint8Array | undefined =>
  found && bytesOf(found, key)

function bundle(of: string, object: string, texts: readonly Uint8Array[]): BundleFacts {
  const readings = texts.map((bytes) => readBundle(lenientUtf8(bytes)))
  const all = new Map(readings.flatMap((reading) => [...reading.bundle]))
  return {
    of,
    object,
    broken: readings.flatMap(({ problems }) => problems).length,
    certificates: [...all.values()].map(
      ({ fingerprint, commonName, subject, notBefore, notAfter }) => ({
        fingerprint,
        commonName: commonName ?? commonNameIn(subject),
        notBefore,
        notAfter,
      }),
    ),
  }
}

const byObject = (a: CertificateSecret, b: CertificateSecret): number =>
  a.object < b.object ? -1 : 1
