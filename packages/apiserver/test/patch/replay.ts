import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isObject } from '@machinist/core/encoding/json'
import { parseYaml } from '@machinist/core/encoding/yaml'
import { applyConfiguration } from '../../src/patch/apply/apply-configuration.ts'
import type { KubeJson } from '../../src/patch/apply/track-fields.ts'
import { managerOf, trackFields } from '../../src/patch/apply/track-fields.ts'
import { applyJsonPatch } from '../../src/patch/json-patch.ts'
import { applyServerMergePatch } from '../../src/patch/merge-patch.ts'
import type { PatchedKind } from '../../src/patch/shapes/shape-of-kind.ts'
import { applyStrategicMergePatch } from '../../src/patch/strategic/strategic-merge.ts'
import { StatusError } from '../../src/status/status-error.ts'
import type { StructuralSchema } from '../../src/schema/structure/structural-schema.ts'
import type { RecordedSequence, Step } from './sequence.ts'
import { momentOf, places } from './sequence.ts'

export function recorded(file: string): RecordedSequence[] {
  const text = readFileSync(new URL(file, import.meta.url), 'utf8')
  return JSON.parse(text) as RecordedSequence[]
}

/** Replays one recorded request on the recorded state. */
export function replayed(
  kindName: string,
  { request, answer, code }: Step,
  index: number,
  before: KubeJson | undefined,
): { code: number; object: KubeJson } {
  const kind = kindOf(kindName)
  const { verb, manager, userAgent, subresource, force, body } = request
  const writing = {
    kind,
    manager: managerOf(manager, verb === 'apply' ? undefined : userAgent),
    now: momentOf(index),
    ...(subresource ? { subresource } : {}),
  }
  try {
    if (verb === 'apply') {
      return {
        code: before ? 200 : 201,
        object: applyConfiguration(before, body, { ...writing, force }),
      }
    }
    // Defaulting is the caller's task: created objects are taken from the recording.
    const isDefaulted = ['create', 'update'].includes(verb) && code < 300 && defaulted.has(kindName)
    const after = isDefaulted
      ? withAskedOwners(answer, body as KubeJson)
      : patched(before, verb, body, kind)
    return { code: before ? 200 : 201, object: trackFields(before, after, writing) }
  } catch (thrown) {
    if (!(thrown instanceof StatusError)) throw thrown
    return { code: thrown.code, object: statusOf(thrown) }
  }
}

const defaulted = new Set([
  'Deployment',
  'DaemonSet',
  'Pod',
  'Service',
  'PodDisruptionBudget',
  'Namespace',
])

function withAskedOwners(answer: KubeJson, body: KubeJson): KubeJson {
  const { managedFields: _, ...metadata } = answer['metadata'] as Record<string, unknown>
  const requested = (body['metadata'] as Record<string, unknown>)['managedFields']
  const owners = requested === undefined ? {} : { managedFields: requested }
  const spec = withoutAssigned(answer['spec'], body['spec'])
  return { ...answer, spec, metadata: { ...metadata, ...owners } }
}

/** Fields that the server sets later. */
const assigned = new Set([
  'priority',
  'preemptionPolicy',
  'tolerations',
  'clusterIP',
  'clusterIPs',
  'ipFamilies',
  'ipFamilyPolicy',
  'finalizers',
])

function withoutAssigned(spec: unknown, requested: unknown): unknown {
  if (!isObject(spec)) return spec
  const expected = isObject(requested) ? requested : {}
  const kept = Object.entries(spec).filter(([key]) => !assigned.has(key))
  const given = Object.entries(expected).filter(([key]) => assigned.has(key))
  return Object.fromEntries([...kept, ...given])
}

function patched(
  before: KubeJson | undefined,
  verb: Step['request']['verb'],
  body: unknown,
  kind: PatchedKind,
): KubeJson {
  switch (verb) {
    case 'merge':
      return applyServerMergePatch(before!, body)
    case 'json':
      return applyJsonPatch(before!, body) as KubeJson
    case 'strategic':
      return applyStrategicMergePatch(before!, body, kind)
    case 'create':
    case 'update':
    case 'apply':
      return body as KubeJson
  }
}

function statusOf({ code, reason, message, details }: StatusError): KubeJson {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    ...(reason === '' ? {} : { reason }),
    ...(details ? { details } : {}),
    code,
  }
}

const withStatus = [{ name: 'status', verbs: ['get', 'patch', 'update'] }] as const
const withoutStatus = new Set(['ConfigMap', 'ServiceAccount', 'ClusterRole', 'MachineConfig'])

export function kindOf(name: string): PatchedKind {
  const { group, version, kind, plural } = places[name]!
  const subresources = withoutStatus.has(kind) ? [] : withStatus
  const builtIn = !kind.startsWith('Machine')
  const schema = builtIn ? undefined : schemaOf(plural)
  return { group, version, kind, builtIn, subresources, ...(schema ? { schema } : {}) }
}

const schemas = new Map<string, StructuralSchema>()

function schemaOf(plural: string): StructuralSchema {
  const known = schemas.get(plural)
  if (known) return known
  const folder = join(import.meta.dirname, '../../../../deploy/crds')
  const file = join(folder, `${plural}.machineconfiguration.openshift.io.yaml`)
  const crd = parseYaml(readFileSync(file, 'utf8'), file) as {
    spec: { versions: { schema: { openAPIV3Schema: StructuralSchema } }[] }
  }
  const schema = crd.spec.versions[0]!.schema.openAPIV3Schema
  schemas.set(plural, schema)
  return schema
}
