import { conditionOf } from '../../api/conditions.ts'
import { sha256Hex } from '@machinist/core/digest'
import { sameJson } from '@machinist/core/json'
import type { KubeObject, OwnerReference, Resource } from '@machinist/core/resource'
import { apiVersionOf, keyOf, keyText } from '@machinist/core/resource'
import type { Random } from '@machinist/core/random'
import { nameSuffix } from '@machinist/core/random'
import type { Controller } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { settled } from '@machinist/kube/controller/outcome'
import type { Deployment, ReplicaSet } from '@machinist/kube/kinds/apps'
import { deployments, replicaSets } from '@machinist/kube/kinds/apps'
import type { Pod } from '@machinist/kube/kinds/core'
import { pods } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import type { StandInCaches, Tools } from './stand-in-caches.ts'
import { byOwner } from './stand-in-caches.ts'
import { makeObject } from './make-object.ts'
import { seen } from './seen.ts'
import { unlessGone } from './unless-gone.ts'

const hashLabel = 'pod-template-hash'

/** What makes Deployments into pods: one ReplicaSet for the template of now, and as many pods as are wanted. */
export function workloadsStandIn(tools: Tools, caches: StandInCaches): Controller {
  return {
    name: 'workloads-stand-in',
    inputs: [
      input({ resource: 'Deployment', informer: caches.deployments }),
      input({
        resource: 'ReplicaSet',
        informer: caches.replicaSets,
        keys: ({ object }) => ownerKey(object, deployments.kind),
      }),
      input({
        resource: 'Pod',
        informer: caches.pods,
        keys: ({ object }) =>
          ownerKey(object, replicaSets.kind).flatMap((key) =>
            ownerKey(caches.replicaSets.get(key), deployments.kind),
          ),
      }),
    ],
    outputs: ['ReplicaSet', 'Pod', 'Deployment'],
    async reconcile(key, { signal }): Promise<Outcome> {
      const deployment = caches.deployments.get(key)
      if (!deployment || deployment.metadata.deletionTimestamp) return settled
      const turn = { ...tools, caches, signal }
      const set = await currentSet(turn, deployment)
      if (!set) return settled
      await replicate(turn, deployment, set)
      await tellStatus(turn, deployment, set)
      return settled
    },
  }
}

interface Turn extends Tools {
  readonly caches: StandInCaches
  readonly signal: AbortSignal
}

/** Nothing until the cache shows it. Those of older templates go, and their pods with them. */
async function currentSet(
  { client, caches, signal }: Turn,
  deployment: Readonly<Deployment>,
): Promise<Readonly<ReplicaSet> | undefined> {
  const { spec, metadata } = deployment
  if (!spec) return undefined
  const hash = sha256Hex(JSON.stringify(spec.template)).slice(0, 10)
  const name = `${metadata.name}-${hash}`
  const sets = caches.replicaSets.byIndex(byOwner, metadata.uid ?? '')
  for (const old of sets.filter((set) => set.metadata.name !== name)) {
    await client.remove(replicaSets, keyOf(old), { propagation: 'Background', signal })
  }
  const labels = { ...spec.template.metadata?.labels, [hashLabel]: hash }
  const there = sets.find((set) => set.metadata.name === name)
  const replicas = spec.replicas ?? 1
  if (!there) {
    await makeObject(client, replicaSets, {
      metadata: {
        ...(metadata.namespace && { namespace: metadata.namespace }),
        name,
        labels,
        ownerReferences: [ownedBy(deployments, deployment)],
      },
      spec: {
        replicas,
        selector: { matchLabels: labels },
        template: { ...spec.template, metadata: { ...spec.template.metadata, labels } },
      },
    })
  } else if (there.spec?.replicas !== replicas) {
    await client.patch(replicaSets, keyOf(there), mergePatch({ spec: { replicas } }), { signal })
  }
  return there
}

async function replicate(
  { client, caches, random, signal }: Turn,
  { spec }: Readonly<Deployment>,
  set: Readonly<ReplicaSet>,
): Promise<void> {
  const alive = livingPods(caches, set)
  const surplus = alive.length - (spec?.replicas ?? 1)
  for (const pod of alive.slice(0, Math.max(surplus, 0))) {
    await unlessGone(client.remove(pods, keyOf(pod), { signal }))
  }
  for (let missing = -surplus; missing > 0; missing--) {
    const made = await client.create(pods, podOf(set, random), { signal })
    // Counting without it would make another one.
    const isKnown = (): boolean => caches.pods.get(keyOf(made))?.metadata.uid === made.metadata.uid
    await seen(caches.pods, isKnown, signal)
  }
}

function podOf(set: Readonly<ReplicaSet>, random: Random): Pod {
  const { namespace, name } = set.metadata
  const { metadata, spec } = set.spec?.template ?? {}
  return {
    metadata: {
      ...metadata,
      ...(namespace !== undefined && { namespace }),
      name: `${name}-${nameSuffix(random)}`,
      ownerReferences: [ownedBy(replicaSets, set)],
    },
    ...(spec && { spec }),
  }
}

function livingPods({ pods: cache }: StandInCaches, set: Readonly<ReplicaSet>): Readonly<Pod>[] {
  const own = cache.byIndex(byOwner, set.metadata.uid ?? '')
  return own.filter(({ metadata, status }) => {
    const isOver = status?.phase === 'Failed' || status?.phase === 'Succeeded'
    return !metadata.deletionTimestamp && !isOver
  })
}

async function tellStatus(
  { client, caches, signal }: Turn,
  deployment: Readonly<Deployment>,
  set: Readonly<ReplicaSet>,
): Promise<void> {
  const alive = livingPods(caches, set)
  const ready = alive.filter(
    ({ status }) => conditionOf(status?.conditions, 'Ready')?.status === 'True',
  ).length
  const counted = { replicas: alive.length, readyReplicas: ready, availableReplicas: ready }
  await tell(client, replicaSets, set, {
    ...counted,
    fullyLabeledReplicas: alive.length,
    observedGeneration: set.metadata.generation,
  })
  await tell(client, deployments, deployment, {
    ...counted,
    updatedReplicas: alive.length,
    unavailableReplicas: Math.max((deployment.spec?.replicas ?? 1) - ready, 0),
    observedGeneration: deployment.metadata.generation,
  })

  async function tell<T extends KubeObject & { status?: object }>(
    to: Turn['client'],
    resource: Resource<T>,
    object: Readonly<T>,
    status: object,
  ): Promise<void> {
    if (sameJson({ ...object.status, ...status }, object.status)) return
    const call = { subresource: 'status', signal } as const
    await unlessGone(to.patch(resource, keyOf(object), mergePatch({ status }), call))
  }
}

function ownedBy(resource: Resource, { metadata }: Readonly<KubeObject>): OwnerReference {
  return {
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    name: metadata.name,
    uid: metadata.uid ?? '',
    controller: true,
    blockOwnerDeletion: true,
  }
}

function ownerKey(object: Readonly<KubeObject> | undefined, kind: string): string[] {
  const owner = object?.metadata.ownerReferences?.find((each) => each.controller)
  if (owner?.kind !== kind) return []
  const namespace = object?.metadata.namespace
  return [keyText({ ...(namespace !== undefined && { namespace }), name: owner.name })]
}
