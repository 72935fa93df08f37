import type { FieldSelector } from '@machinist/core/objects/field-selectors'
import { matchesFields, parseFieldSelector } from '@machinist/core/objects/field-selectors'
import { messageOf } from '@machinist/core/errors'
import type { LabelNames } from '@machinist/core/objects/label-selector-text'
import { parseLabelSelector } from '@machinist/core/objects/label-selector-text'
import type { KubeObject } from '@machinist/core/objects/resource'
import type { LabelSelector } from '@machinist/core/objects/selectors'
import { matchesLabels } from '@machinist/core/objects/selectors'
import type { ApiObject } from '../kinds/kind-rules.ts'
import type { ServedKind } from '../kinds/served-kind.ts'
import { badRequest } from '../status/status-error.ts'
import type { Scope } from '../watch/scope.ts'
import { labelValueProblems, qualifiedNameProblems } from '../objects/names.ts'
import { objectKey, prefixOf } from '../objects/object-key.ts'
import type { Target } from './verb-context.ts'

/** The scope and filter of a list or watch. */
export interface Selection {
  readonly scope: Scope
  /** Default: all objects. */
  readonly select?: (stored: KubeObject) => boolean
}

/** Parses a request's selectors; throws a StatusError if they are invalid or name an unknown field. */
export function selectionOf(
  { kind, namespace, name }: Target,
  labelSelector: string,
  fieldSelector: string,
): Selection {
  const labels = readable(() => parseLabelSelector(labelSelector, labelNames))
  const fields = readable(() => parseFieldSelector(fieldSelector))
  const readers = readersOf(kind)
  for (const { path } of fields) {
    if (!readers.has(path)) throw badRequest(unknownField(kind, path))
  }
  const scope = scopeOf(kind, namespace, name ?? oneName(fields))
  if (labels.length === 0 && fields.length === 0) return { scope }
  const toView = kind.rules?.view?.toView
  return {
    scope,
    select: (stored) => {
      const object = stored as ApiObject
      return holds(toView?.(object) ?? object, labels, fields, readers)
    },
  }
}

/** Validation with Kubernetes' messages. */
const labelNames: LabelNames = {
  key(key) {
    const problems = qualifiedNameProblems(key)
    if (problems.length === 0) return undefined
    return `<nil>: Invalid value: ${JSON.stringify(key)}: ${problems.join('; ')}`
  },
  values(key, values) {
    const wrong = values.flatMap((value, index) => {
      const problems = labelValueProblems(value)
      if (problems.length === 0) return []
      return `values[${index}][${key}]: Invalid value: ${JSON.stringify(value)}: ${problems.join('; ')}`
    })
    return wrong.length > 1 ? `[${wrong.join(', ')}]` : wrong[0]
  },
}

/** Kinds with their own selectable fields, and custom kinds, have a shorter message. */
function unknownField({ builtIn, selectableFields }: ServedKind, path: string): string {
  return !builtIn || selectableFields.length > 0
    ? `field label not supported: ${path}`
    : `${JSON.stringify(path)} is not a known field selector: only "metadata.name", "metadata.namespace"`
}

/** A single key if the name is known. */
function scopeOf(kind: ServedKind, namespace: string | undefined, name: string | undefined): Scope {
  const placed = !kind.namespaced || namespace !== undefined
  return name && placed ? objectKey(kind, namespace, name) : prefixOf(kind, namespace)
}

const oneName = (fields: FieldSelector): string | undefined =>
  fields.find(({ path, equal }) => path === 'metadata.name' && equal)?.value

type Readers = ReadonlyMap<string, (object: ApiObject) => string>

function holds(
  object: ApiObject,
  labels: LabelSelector,
  fields: FieldSelector,
  readers: Readers,
): boolean {
  if (!matchesLabels(labels, object.metadata.labels)) return false
  return matchesFields(fields, (path) => readers.get(path)?.(object))
}

function readersOf(kind: ServedKind): Readers {
  return new Map<string, (object: ApiObject) => string>([
    ['metadata.name', ({ metadata }) => metadata.name],
    ['metadata.namespace', ({ metadata }) => metadata.namespace ?? ''],
    ...kind.selectableFields.map(({ path, read }) => [path, read] as const),
  ])
}

function readable<Parsed>(parse: () => Parsed): Parsed {
  try {
    return parse()
  } catch (error) {
    throw badRequest(messageOf(error))
  }
}
