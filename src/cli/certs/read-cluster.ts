import { certificateAnnotations } from '../../api/annotations.ts'
import { certificateTypes, labels } from '../../api/labels.ts'
import type { DataSource } from '../../api/names.ts'
import { configMaps as sources, names, registryCAs, secrets as fixed } from '../../api/names.ts'
import type { ControllerConfig } from '../../api/resources.ts'
import * as api from '../../api/resources.ts'
import { registryFiles } from '../../api/trust/digests.ts'
import { trustItems } from '../../api/trust/items.ts'
import { commonNameIn } from '../../api/trust/signer-family.ts'
import { lenientUtf8 } from '@machinist/core/bytes'
import type { KubeObject, ObjectKey, Resource } from '@machinist/core/resource'
import { keyOf, keyText } from '@machinist/core/resource'
import type { KubeClient } from '@machinist/kube/client'
import { ifThere, isForbidden, isNotFound } from '@machinist/kube/failure'
import type { ConfigMap } from '@machinist/kube/kinds/core'
import { configMaps, nodes, secrets } from '@machinist/kube/kinds/core'
import { bytesOf, keysOf } from '../../fleet/trust/read-ca.ts'
import { readBundle } from '@machinist/pki/bundle'
import type { BundleFacts, CertificateSecret, CertsFacts } from '../../views/certs/facts.ts'
import { otherTrust } from '../../views/certs/facts.ts'
import { goDuration } from '../../views/certs/life.ts'
import { refreshPeriods } from '../../views/certs/rotations.ts'

/** Where each bundle comes from, in the order in which it is handed on. */
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

/** Reads what may be read. What may not, or is not there, is told; anything else (no connection) is thrown. */
export async function readCluster(client: KubeClient, now: number): Promise<CertsFacts> {
  const unread: string[] = []
  const attempt = async <T>(what: string, read: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await read()
    } catch (error) {
      if (isForbidden(error)) unread.push(`${what}: you may not read them`)
      else if (isNotFound(error)) unread.push(`${what}: this cluster does not have them`)
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
      // Most clusters have somebody else for it.
      attempt('TrustRotations', () => ifThere(all(api.trustRotations))),
    ])
  const periods = refreshPeriods(rotations ?? [])
  return {
    now,
    secrets: found.map((each) => renewedAfter(periods.get(each.object), each)),
    bundles: [...bundles, ...(controllerConfig ? bundlesIn(controllerConfig) : [])],
    pools: pools ?? [],
    unread: unread.toSorted(),
    ...(controllerConfig && { controllerConfig }),
    ...(nodeTrusts && { nodeTrusts }),
    ...(machines && { nodes: machines }),
    ...(rotations && { rotations }),
  }
}

function renewedAfter(refreshMs: number | undefined, secret: CertificateSecret): CertificateSecret {
  return refreshMs === undefined ? secret : { ...secret, refreshMs }
}

type Attempt = <T>(what: string, read: () => Promise<T>) => Promise<T | undefined>

/** One that is not there is no reason to complain; a kind that is not there is. */
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

/** Metadata only: keys are not even sent. */
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
  // The first ones of an installation have no label.
  for (const key of [fixed.kubeletSigner, fixed.kubeletClient, fixed.serverTLS]) {
    if (found.has(keyText(key))) continue
    await attempt(`Secret ${keyText(key)}`, async () => {
      const one = await ifThere(client.getMetadata(secrets, key))
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
    attempt(`ConfigMap ${keyText(key)}`, () => ifThere(client.get(configMaps, key)))
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

/** What nodes are given. */
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
