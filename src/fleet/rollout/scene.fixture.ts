import type { Node } from '@machinist/kube/kinds/core'
import { nodeAnnotations } from '../../api/annotations.ts'
import { nodeLabels } from '../../api/labels.ts'
import type { PoolSketch } from '../pools/pool.fixture.ts'
import { pool } from '../pools/pool.fixture.ts'
import type { RolloutFacts } from './facts.ts'
import { factsOf } from './node-facts.ts'

/** A node in short form, for tables of test cases. */
export interface NodeSketch {
  readonly name?: string
  readonly current?: string
  readonly desired?: string
  readonly ready?: boolean
  readonly state?: string
  readonly reason?: string
  readonly currentImage?: string
  readonly desiredImage?: string
  readonly zone?: string
  readonly createdAt?: string
  readonly cordoned?: boolean
  readonly labels?: Record<string, string>
  readonly annotations?: Record<string, string>
  readonly taints?: NonNullable<Node['spec']>['taints']
  readonly version?: string
  readonly readySince?: string
}

export function node(sketch: NodeSketch = {}): Node {
  const { ready = true, cordoned, zone, taints, readySince } = sketch
  const lastTransitionTime = readySince === undefined ? {} : { lastTransitionTime: readySince }
  const values = {
    [nodeAnnotations.currentConfig]: sketch.current,
    [nodeAnnotations.desiredConfig]: sketch.desired,
    [nodeAnnotations.currentImage]: sketch.currentImage,
    [nodeAnnotations.desiredImage]: sketch.desiredImage,
    [nodeAnnotations.state]: sketch.state ?? (sketch.current === undefined ? undefined : 'Done'),
    [nodeAnnotations.reason]: sketch.reason,
    ...sketch.annotations,
  }
  const annotations = Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: sketch.name ?? 'node-0',
      resourceVersion: sketch.version ?? '1',
      creationTimestamp: sketch.createdAt ?? '2026-01-01T00:00:00Z',
      annotations,
      labels: { ...(zone !== undefined && { [nodeLabels.zone]: zone }), ...sketch.labels },
    },
    spec: { ...(cordoned && { unschedulable: true }), ...(taints && { taints }) },
    status: {
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', ...lastTransitionTime }],
    },
  }
}

/** Nodes named node-0, node-1, … in the order given. */
const nodesOf = (sketches: readonly NodeSketch[]): Node[] =>
  sketches.map((sketch, i) => node({ name: `node-${i}`, ...sketch }))

export function facts(
  poolSketch: PoolSketch,
  sketches: readonly NodeSketch[],
  more: Partial<RolloutFacts> = {},
): RolloutFacts {
  return {
    pool: pool(poolSketch),
    nodes: nodesOf(sketches).map(factsOf),
    left: new Set(),
    contested: [],
    image: { type: 'not layered' },
    blockedDrains: new Map(),
    certificates: [],
    now: Date.parse('2026-03-01T10:00:00Z'),
    ...more,
  }
}

/** `at('V0', 'V1')` is a ready node that is being updated; `at('V1')` one that is updated. */
export const at = (current: string, desired = current, more: NodeSketch = {}): NodeSketch => ({
  current,
  desired,
  ...more,
})
