import {
  configMaps as fixed,
  namespaces,
  registryOperator,
  registryPuller,
} from '../../api/names.ts'
import { secrets as fixedSecrets } from '../../api/names.ts'
import { clusterOperators } from '../../api/openshift-config.ts'
import type { ControllerConfig } from '../../api/resources.ts'
import type { KubeObject, ObjectKey, Resource } from '@machinist/core/resource'
import { keyText } from '@machinist/core/resource'
import { configMaps, secrets, serviceAccounts } from '@machinist/kube/kinds/core'
import { readClusterObject } from '../inputs/cluster-objects.ts'
import { problemReasons } from '../inputs/problem.ts'
import type { FollowedSource, TrustCaches } from './caches.ts'
import { allSources } from './caches.ts'
import type { Seen, TrustFacts } from './facts.ts'
import type { TrustFields } from './fields.ts'
import type { Payloads } from './payloads.ts'

export interface GatherOptions {
  readonly caches: TrustCaches
  readonly payloads: Payloads
  readonly controllerConfig: Readonly<ControllerConfig> | undefined
  readonly lastGood: TrustFields
  readonly now: number
  readonly settleMs?: number
  readonly signal: AbortSignal
}

/** What the caches know, and what has changed read from the API. What cannot be read is unknown; the rest still counts. */
export async function gather(
  { caches, payloads, controllerConfig, lastGood, now, settleMs, signal }: GatherOptions,
  failures: unknown[],
): Promise<TrustFacts> {
  const see = <T extends KubeObject>(resource: Resource<T>, key: ObjectKey): Promise<Seen<T>> =>
    seen(resource, key, sourceOf(caches, resource, key), (metadata) =>
      payloads.read(resource, metadata, signal, failures),
    )
  const seeAll = async <T extends KubeObject>(
    resource: Resource<T>,
    keys: readonly ObjectKey[],
  ): Promise<Map<string, Seen<T>>> => {
    const all = keys.map(async (key) => [keyText(key), await see(resource, key)] as const)
    return new Map(await Promise.all(all))
  }
  const image = readClusterObject(caches.cluster, 'image')
  const proxy = readClusterObject(caches.cluster, 'proxy')
  const named = [
    image.is === 'given' ? image.object.spec.additionalTrustedCA?.name : undefined,
    proxy.is === 'given' ? proxy.object.spec.trustedCA?.name : undefined,
  ]
  const puller = await see(serviceAccounts, registryPuller)
  const facts = {
    now,
    ...(settleMs !== undefined && { settleMs }),
    controllerConfig,
    lastGood,
    configMaps: await seeAll(configMaps, configMapKeys(named)),
    secrets: await seeAll(secrets, secretKeys(puller)),
    puller,
    registryOperator: operatorIn(caches),
    image,
    proxy,
    infrastructure: readClusterObject(caches.cluster, 'infrastructure'),
    dns: readClusterObject(caches.cluster, 'dns'),
  }
  payloads.endRound()
  return facts
}

/** Those with a fixed name, and those that other objects name. */
function configMapKeys(named: readonly (string | undefined)[]): ObjectKey[] {
  const followed = allSources().flatMap(({ kind, namespace, name }) =>
    kind === 'ConfigMap' && name !== undefined ? [{ namespace, name }] : [],
  )
  const inConfig = [fixed.userCA.name, fixed.initialKubeletClientCA.name, ...named]
  const unique = new Set(inConfig.filter((name) => name !== undefined && name !== ''))
  return [
    ...followed,
    ...[...unique].map((name) => ({ namespace: namespaces.config, name: name! })),
  ]
}

function secretKeys(puller: TrustFacts['puller']): ObjectKey[] {
  const { namespace, name } = fixedSecrets.pullSecret
  const own = puller.state === 'here' ? (puller.object.imagePullSecrets ?? []) : []
  const names = new Set(own.flatMap((one) => one.name || []))
  return [
    { namespace, name },
    ...[...names].map((each) => ({ namespace: registryPuller.namespace, name: each })),
  ]
}

function sourceOf(
  { sources }: TrustCaches,
  { kind }: Resource,
  { namespace, name }: ObjectKey,
): FollowedSource {
  const found = sources.find(
    ({ source }) =>
      source.kind === kind &&
      source.namespace === namespace &&
      (source.name === undefined || source.name === name),
  )
  if (!found) throw new TypeError(`nobody follows ${kind} ${namespace}/${name}`)
  return found
}

async function seen<T extends KubeObject>(
  { kind, plural }: Resource<T>,
  key: ObjectKey,
  { informer }: FollowedSource,
  read: (metadata: Readonly<KubeObject>) => Promise<Seen<T>>,
): Promise<Seen<T>> {
  if (!informer.hasSynced) return notYetKnown(`${kind} ${keyText(key)}`, plural)
  const metadata = informer.get(key)
  return metadata ? await read(metadata) : { state: 'absent' }
}

function operatorIn({ registryOperators, isRegistryOperatorLost }: TrustCaches): Seen<KubeObject> {
  const { kind, plural, group } = clusterOperators
  if (!registryOperators.hasSynced || isRegistryOperatorLost()) {
    return notYetKnown(`${kind} ${registryOperator.name}`, `${plural}.${group}`)
  }
  const object = registryOperators.get(registryOperator.name)
  return object ? { state: 'here', object } : { state: 'absent' }
}

function notYetKnown(what: string, plural: string): Seen<never> {
  const message = `the API does not say whether there is a ${what}: see to it that the operator may list and watch ${plural} there`
  return { state: 'unknown', problem: { reason: problemReasons.notReachable, message } }
}
