import type { OwnerReference } from '@machinist/core/objects/resource'
import type { Node, Pod } from '@machinist/kube/kinds/core'

const domain = 'machineconfiguration.openshift.io'

export interface NodeSketch {
  readonly desired?: string
  readonly lastApplied?: string
  readonly unschedulable?: boolean
  /** The value of machinist.dev/drain. */
  readonly record?: string
  readonly annotations?: Readonly<Record<string, string>>
}

export function nodeWith(sketch: NodeSketch, name = 'worker-1'): Node {
  const { desired, lastApplied, record, unschedulable, annotations } = sketch
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      annotations: {
        ...(desired !== undefined && { [`${domain}/desiredDrain`]: desired }),
        ...(lastApplied !== undefined && { [`${domain}/lastAppliedDrain`]: lastApplied }),
        ...(record !== undefined && { 'machinist.dev/drain': record }),
        ...annotations,
      },
    },
    spec: { ...(unschedulable !== undefined && { unschedulable }) },
  }
}

export interface PodSketch {
  readonly namespace?: string
  readonly labels?: Record<string, string>
  readonly annotations?: Record<string, string>
  readonly owner?: OwnerReference
  readonly phase?: 'Running' | 'Succeeded' | 'Failed'
  readonly priority?: number
  readonly emptyDir?: boolean
  readonly deletionTimestamp?: string
  readonly finalizers?: string[]
}

export function podWith(name: string, sketch: PodSketch = {}): Pod {
  const { namespace = 'shop', labels, annotations, owner, priority, phase = 'Running' } = sketch
  const { deletionTimestamp, finalizers } = sketch
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace,
      ...(labels && { labels }),
      ...(annotations && { annotations }),
      ...(owner && { ownerReferences: [owner] }),
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
      ...(finalizers && { finalizers }),
    },
    spec: {
      nodeName: 'worker-1',
      ...(priority !== undefined && { priority }),
      containers: [{ name: 'main', image: 'example.com/main' }],
      ...(sketch.emptyDir && { volumes: [{ name: 'scratch', emptyDir: {} }] }),
    },
    status: { phase },
  }
}

export const owner = (
  kind: string,
  name: string,
  apiVersion = 'apps/v1',
  controller = true,
): OwnerReference => ({ apiVersion, kind, name, uid: `uid-of-${name}`, controller })
