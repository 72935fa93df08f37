import { isObject } from '@machinist/core/encoding/json'
import type { Column, ServedKind } from '../kinds/served-kind.ts'
import { badRequest } from '../status/status-error.ts'
import { customCell } from './custom-cell.ts'
import { nameColumn } from './name-column.ts'

export interface Table {
  readonly kind: 'Table'
  readonly apiVersion: 'meta.k8s.io/v1'
  readonly metadata: Readonly<Record<string, unknown>>
  /** Null in all but the first event of a watch. */
  readonly columnDefinitions: readonly ColumnDefinition[] | null
  readonly rows: readonly TableRow[]
}

export interface ColumnDefinition {
  readonly name: string
  readonly type: string
  readonly format: string
  readonly description: string
  readonly priority: number
}

export interface TableRow {
  readonly cells: readonly unknown[]
  readonly conditions?: readonly RowCondition[]
  /** Null for includeObject=None. */
  readonly object: unknown
}

export interface RowCondition {
  readonly type: 'Completed'
  readonly status: 'True'
  readonly reason: string
  readonly message: string
}

export type IncludeObject = 'None' | 'Metadata' | 'Object'

export interface TableOptions {
  /** Reference time for ages, in milliseconds since the epoch. */
  readonly now: number
  /** What each row contains besides its cells; default: Metadata. */
  readonly includeObject?: IncludeObject
  /** False for all but the first event of a watch. */
  readonly headers?: boolean
  /** List metadata (resourceVersion, continue, remainingItemCount), or the resourceVersion of a single object. */
  readonly metadata?: Readonly<Record<string, unknown>>
}

type KubeJson = Readonly<Record<string, unknown>>

/** Parses the query parameter `includeObject`. Throws a StatusError. */
export function includeObjectFrom(text: string | undefined): IncludeObject {
  if (text === undefined || text === '') return 'Metadata'
  if (text === 'None' || text === 'Metadata' || text === 'Object') return text
  const wrong = `includeObject: Invalid value: ${JSON.stringify(text)}`
  const right = "must be 'Metadata', 'Object', 'None', or empty"
  throw badRequest(`Unable to convert to Table as requested: ${wrong}: ${right}`)
}

/** Converts objects to the table of `kubectl get`. */
export function tableOf(
  kind: ServedKind,
  objects: readonly KubeJson[],
  options: TableOptions,
): Table {
  const columns = columnsOf(kind)
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata: options.metadata ?? {},
    columnDefinitions: options.headers === false ? null : columns.map(definitionOf),
    rows: objects.map((object) => rowOf(columns, object, options)),
  }
}

/** The columns with NAME: first, unless the kind places it elsewhere. */
function columnsOf({ columns, builtIn }: ServedKind): readonly Column[] {
  if (columns.some(({ format }) => builtIn && format === 'name')) return columns
  return [nameColumn, ...columns]
}

function definitionOf({
  name,
  type,
  format,
  description,
  priority,
  cell,
}: Column): ColumnDefinition {
  const fallback = typeof cell === 'string' ? customDescription(cell) : ''
  return { name, type, format: format ?? '', description: description || fallback, priority }
}

const customDescription = (path: string): string =>
  `Custom resource definition column (in JSONPath format): ${path}`

function rowOf(columns: readonly Column[], object: KubeJson, options: TableOptions): TableRow {
  const { now, includeObject = 'Metadata' } = options
  const cells = columns.map(({ cell, type }) =>
    typeof cell === 'string' ? customCell(object, cell, type, now) : cell(object, now),
  )
  const conditions = completion(object)
  return {
    cells,
    ...(conditions ? { conditions } : {}),
    object: included(object, includeObject),
  }
}

function included(object: KubeJson, include: IncludeObject): unknown {
  if (include === 'None') return null
  if (include === 'Object') return object
  return {
    kind: 'PartialObjectMetadata',
    apiVersion: 'meta.k8s.io/v1',
    metadata: object.metadata,
  }
}

/** Marks rows that kubectl may hide: finished pods. */
function completion({ kind, apiVersion, status }: KubeJson): readonly RowCondition[] | undefined {
  if (kind !== 'Pod' || apiVersion !== 'v1' || !isObject(status)) return undefined
  const reason = status.phase
  if (reason !== 'Succeeded' && reason !== 'Failed') return undefined
  const message = reason === 'Failed' ? 'The pod failed.' : 'The pod has completed successfully.'
  return [{ type: 'Completed', status: 'True', reason, message }]
}
