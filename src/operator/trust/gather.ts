import type { KubeObject, ObjectKey, Resource } from '@machinist/core/objects/resource'
import { keyText } from '@machinist/core/objects/resource'
import type { StepContext } from '@machinist/kube/controller/step-controller'
import { ignoreNotFound } from '@machinist/kube/failure'
import { configMaps, secrets, serviceAccounts } from '@machinist/kube/kinds/core'
import {
  configMaps as fixed,
  names,
  namespaces,
  registryOperator,
  registryPuller,
} from '../../api/names.ts'
import { secrets as fixedSecrets } from '../../api/names.ts'
import { clusterOperators } from '../../api/openshift-config.ts'
import type { ControllerConfig } from '../../api/kinds/resources.ts'
import { controllerConfigs } from '../../api/kinds/resources.ts'
import { readClusterObject } from '../inputs/cluster-objects.ts'
import { problemReasons } from '../inputs/problem.ts'
import { allSources } from './caches.ts'
import type { ObservedObject, TrustFacts } from './facts/facts.ts'
import type { FirstPass } from './first-pass.ts'
import type { FollowedSource, TrustCaches } from './inputs.ts'
import type { LastGood } from './last-good.ts'
import type { LastWritten } from './last-written.ts'
import type { Payloads } from './payloads.ts'

export interface TrustSources {
  readonly caches: TrustCaches
  readonly payloads: Payloads
  readonly firstPass: FirstPass
  readonly lastWritten: LastWritten<ControllerConfig>
  readonly lastGood: LastGood
  /** How long the API server's CAs must be unchanged before they are published to nodes; one minute by default. */
  readonly settleMs?: number
}

/** Gathers facts from the caches, and reads changed objects from the API. An unreadable object is unknown; others are unaffected. */
export async function gather(
  sources: TrustSources,
  { client, clock, signal }: Pick<StepContext, 'client' | 'clock' | 'signal'>,
): Promise<TrustFacts> {
  const { caches, payloads, firstPass, lastWritten, lastGood, settleMs } = sources
  const now = clock.now()
  const key = { name: names.controllerConfig }
  const controllerConfig = await lastWritten.orNewer(caches.controllerConfigs.get(key), () =>
    ignoreNotFound(client.get(controllerConfigs, key, { signal })),
  )
  const readFailures: unknown[] = []
  const see = <T extends KubeObject>(
    resource: Resource<T>,
    seen: ObjectKey,
  ): Promise<ObservedObject<T>> =>
    observe(resource, seen, sourceOf(caches, resource, seen), (metadata) =>
      payloads.read(resource, metadata, signal, readFailures),
    )
  const seeAll = async <T extends KubeObject>(
    resource: Resource<T>,
    keys: readonly ObjectKey[],
  ): Promise<Map<string, ObservedObject<T>>> => {
    const all = keys.map(async (each) => [keyText(each), await see(resource, each)] as const)
    return new Map(await Promise.all(all))
  }
  const image = readClusterObject(caches.cluster, 'image')
  const proxy = readClusterObject(caches.cluster, 'proxy')
  const referenced = [
    image.type === 'given' ? image.object.spec.additionalTrustedCA?.name : undefined,
    proxy.type === 'given' ? proxy.object.spec.trustedCA?.name : undefined,
  ]
  const puller = await see(serviceAccounts, registryPuller)
  const facts = {
    now,
    isFirstPass: !firstPass.isOver,
    readFailures,
    ...(settleMs !== undefined && { settleMs }),
    controllerConfig,
    lastGood: lastGood.with(controllerConfig),
    configMaps: await seeAll(configMaps, configMapKeys(referenced)),
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

/** The ConfigMaps with fixed names, and those that other objects reference. */
function configMapKeys(referenced: readonly (string | undefined)[]): ObjectKey[] {
  const followed = allSources().flatMap(({ kind, namespace, name }) =>
    kind === 'ConfigMap' && name !== undefined ? [{ namespace, name }] : [],
  )
  const inConfig = [fixed.userCA.name, fixed.initialKubeletClientCA.name, ...referenced]
  const unique = new Set(inConfig.filter((name) => name !== undefined && name !== ''))
  return [
    ...followed,
    ...[...unique].map((name) => ({ namespace: namespaces.config, name: name! })),
  ]
}

function secretKeys(puller: TrustFacts['puller']): ObjectKey[] {
  const { namespace, name } = fixedSecrets.pullSecret
  const own = puller.state === 'present' ? (puller.object.imagePullSecrets ?? []) : []
  const referenced = new Set(own.flatMap((one) => one.name || []))
  return [
    { namespace, name },
    ...[...referenced].map((each) => ({ namespace: registryPuller.namespace, name: each })),
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
  if (!found) throw new TypeError(`no informer for ${kind} ${namespace}/${name}`)
  return found
}

async function observe<T extends KubeObject>(
  { kind, plural }: Resource<T>,
  key: ObjectKey,
  { informer }: FollowedSource,
  read: (metadata: Readonly<KubeObject>) => Promise<ObservedObject<T>>,
): Promise<ObservedObject<T>> {
  if (!informer.hasSynced) return notReachable(`${kind} ${keyText(key)}`, plural)
  const metadata = informer.get(key)
  return metadata ? await read(metadata) : { state: 'absent' }
}

function operatorIn({
  registryOperators,
  isRegistryOperatorLost,
}: TrustCaches): ObservedObject<KubeObject> {
  const { kind, plural, group } = clusterOperators
  if (!registryOperators.hasSynced || isRegistryOperatorLost()) {
    return notReachable(`${kind} ${registryOperator.name}`, `${plural}.${group}`)
  }
  const object = registryOperators.get(registryOperator.name)
  return object ? { state: 'present', object } : { state: 'absent' }
}

function notReachable(what: string, plural: string): ObservedObject<never> {
  const message = `cannot read ${what}: grant the operator permission to list and watch ${plural}`
  return { state: 'unknown', problem: { reason: problemReasons.notReachable, message } }
}
