import { isObject } from '@machinist/core/encoding/json'
import {
  everything,
  formatLabelSelector,
  selectorFromSpec,
} from '@machinist/core/objects/selectors'
import type { ApiObject } from '../kinds/kind-rules.ts'
import type { ScalePaths } from '../kinds/served-kind.ts'
import { StatusError } from '../status/status-error.ts'
import { read } from './read.ts'
import type { NamedTarget } from './update.ts'
import { update } from './update.ts'
import type { VerbContext, WriteOptions } from './verb-context.ts'

const builtInPaths: ScalePaths = {
  specReplicasPath: '.spec.replicas',
  statusReplicasPath: '.status.replicas',
  labelSelectorPath: '.spec.selector',
}

/** The Scale of an object. */
export function readScale(context: VerbContext, target: NamedTarget): ApiObject {
  return scaleOf(target, read(context, target))
}

export async function writeScale(
  context: VerbContext,
  target: NamedTarget,
  change: (scale: ApiObject) => ApiObject,
  options: WriteOptions,
): Promise<ApiObject> {
  const { subresource: _, ...owner } = target
  const written = await update(
    context,
    owner,
    (current) => {
      const desired = change(scaleOf(target, current))
      const { resourceVersion = current.metadata.resourceVersion } = desired.metadata
      const replicas = valueAt(desired, '.spec.replicas') ?? 0
      const { specReplicasPath } = pathsOf(target)
      const scaled = withValueAt(current, specReplicasPath, replicas)
      return { ...scaled, metadata: { ...current.metadata, resourceVersion } }
    },
    { ...options, admit: scaleAdmit(target, options) },
  )
  return scaleOf(target, written)
}

/** Admission sees the Scale, not the scaled object. */
function scaleAdmit(target: NamedTarget, { admit }: WriteOptions): WriteOptions['admit'] {
  const scaleOrNone = (object: ApiObject | undefined): ApiObject | undefined =>
    object && scaleOf(target, object)
  return admit && ((after, before) => admit(scaleOf(target, after), scaleOrNone(before)))
}

const pathsOf = ({ kind }: NamedTarget): ScalePaths => kind.scale ?? builtInPaths

function scaleOf(target: NamedTarget, object: ApiObject): ApiObject {
  const paths = pathsOf(target)
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata
  const selector = selectorText(paths.labelSelectorPath && valueAt(object, paths.labelSelectorPath))
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: replicasOf(target, valueAt(object, paths.specReplicasPath)),
    status: {
      replicas: valueAt(object, paths.statusReplicasPath) ?? 0,
      ...(selector === '' ? {} : { selector }),
    },
  }
}

/** Built-in kinds omit zero replicas; custom resources must have a value. */
function replicasOf({ kind }: NamedTarget, replicas: unknown): { replicas?: unknown } {
  if (replicas === undefined && kind.scale) {
    const message = `the spec replicas field "${kind.scale.specReplicasPath}" does not exist`
    const causes = [{ message }]
    throw new StatusError(500, 'InternalError', `Internal error occurred: ${message}`, { causes })
  }
  return replicas === undefined || replicas === 0 ? {} : { replicas }
}

function selectorText(selector: unknown): string {
  if (typeof selector === 'string') return selector
  if (!isObject(selector)) return ''
  return formatLabelSelector(selectorFromSpec(selector, everything))
}

const stepsOf = (path: string): string[] => path.split('.').filter((step) => step !== '')

function valueAt(object: unknown, path: string): unknown {
  let value = object
  for (const step of stepsOf(path)) value = isObject(value) ? value[step] : undefined
  return value
}

function withValueAt(object: ApiObject, path: string, value: unknown): ApiObject {
  const steps = stepsOf(path)
  const last = steps.pop()!
  const copy = structuredClone(object)
  let place: Record<string, unknown> = copy
  for (const step of steps) {
    const next = place[step]
    const inner = isObject(next) ? next : {}
    place[step] = inner
    place = inner
  }
  place[last] = value
  return copy
}
