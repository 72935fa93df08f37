import { sha256Hex } from '@machinist/core/encoding/digest'
import { sameJson } from '@machinist/core/encoding/json'
import type { KubeObject, OwnerReference, Resource } from '@machinist/core/objects/resource'
import { apiVersionOf, keyOf, keyText } from '@machinist/core/objects/resource'
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
import { conditionOf } from '../../api/conditions.ts'
import type { DevclusterTools } from '../objects/tools.ts'
import { createIfMissing } from '../objects/create-object.ts'
import { waitUntil } from '../objects/wait-until.ts'
import { ignoreGone } from '../objects/ignore-gone.ts'
import type { StandInCaches } from './stand-in-caches.ts'
import { byOwner } from './stand-in-caches.ts'

const hashLabel = 'pod-template-hash'

/** A simplified Deployment controller: one ReplicaSet for the current template, and its pods. */
export function workloadsStandIn(tools: DevclusterTools, caches: StandInCaches): Controller {
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
      const context = { ...tools, caches, signal }
      const set = await currentSet(context, deployment)
      if (!set) return settled
      await replicate(context, deployment, set)
      await reportStatus(context, deployment, set)
      return settled
    },
  }
}

interface WorkloadContext extends DevclusterTools {
  readonly caches: StandInCaches
  readonly signal: AbortSignal
}

/** The ReplicaSet of the current template; undefined until the cache contains it. Deletes those of older templates with their pods. */
async function currentSet(
  { client, caches, signal }: WorkloadContext,
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
  const existing = sets.find((set) => set.metadata.name === name)
  const replicas = spec.replicas ?? 1
  if (!existing) {
    await createIfMissing(client, replicaSets, {
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
  } else if (existing.spec?.replicas !== replicas) {
    await client.patch(replicaSets, keyOf(existing), mergePatch({ spec: { replicas } }), { signal })
  }
  return existing
}

async function replicate(
  { client, caches, random, signal }: WorkloadContext,
  { spec }: Readonly<Deployment>,
  set: Readonly<ReplicaSet>,
): Promise<void> {
  const alive = livingPods(caches, set)
  const surplus = alive.length - (spec?.replicas ?? 1)
  for (const pod of alive.slice(0, Math.max(surplus, 0))) {
    await ignoreGone(client.remove(pods, keyOf(pod), { signal }))
  }
  for (let missing = -surplus; missing > 0; missing--) {
    const created = await client.create(pods, podOf(set, random), { signal })
    // Without it in the cache, the next reconcile would create another one.
    const isKnown = (): boolean =>
      caches.pods.get(keyOf(created))?.metadata.uid === created.metadata.uid
    await waitUntil(caches.pods, isKnown, signal)
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

async function reportStatus(
  { client, caches, signal }: WorkloadContext,
  deployment: Readonly<Deployment>,
  set: Readonly<ReplicaSet>,
): Promise<void> {
  const alive = livingPods(caches, set)
  const ready = alive.filter(
    ({ status }) => conditionOf(status?.conditions, 'Ready')?.status === 'True',
  ).length
  const counted = { replicas: alive.length, readyReplicas: ready, availableReplicas: ready }
  await patchStatus(client, replicaSets, set, {
    ...counted,
    fullyLabeledReplicas: alive.length,
    observedGeneration: set.metadata.generation,
  })
  await patchStatus(client, deployments, deployment, {
    ...counted,
    updatedReplicas: alive.length,
    unavailableReplicas: Math.max((deployment.spec?.replicas ?? 1) - ready, 0),
    observedGeneration: deployment.metadata.generation,
  })

  async function patchStatus<T extends KubeObject & { status?: object }>(
    target: WorkloadContext['client'],
    resource: Resource<T>,
    object: Readonly<T>,
    status: object,
  ): Promise<void> {
    if (sameJson({ ...object.status, ...status }, object.status)) return
    const call = { subresource: 'status', signal } as const
    await ignoreGone(target.patch(resource, keyOf(object), mergePatch({ status }), call))
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
