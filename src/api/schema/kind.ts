import type { KubeObject, Resource } from '@machinist/core/resource'
import type { Rule, Schema } from './schema.ts'

/** Everything the API server is told about one of our kinds. */
export interface Kind {
  readonly resource: Resource
  readonly description: string
  readonly shortNames: readonly string[]
  readonly columns: readonly Column[]
  readonly spec: Schema
  /** Also gives the kind its status subresource: writing spec and writing status are two different rights. */
  readonly status?: Schema
  readonly specRequired: boolean
  readonly rules: readonly Rule[]
}

/** A column of `kubectl get`. Wide ones show with `-o wide` only. */
export interface Column {
  readonly name: string
  readonly type: 'string' | 'number' | 'date'
  readonly jsonPath: string
  readonly wide?: true
}

export interface KindOptions {
  readonly shortNames?: readonly string[]
  readonly columns?: readonly Column[]
  readonly spec: Schema
  readonly status?: Schema
  readonly specRequired?: boolean
  readonly rules?: readonly Rule[]
}

export function kind<T extends KubeObject>(
  resource: Resource<T>,
  description: string,
  options: KindOptions,
): Kind {
  return {
    resource,
    description,
    shortNames: [],
    columns: [],
    specRequired: true,
    rules: [],
    ...options,
  }
}

export function textColumn(name: string, jsonPath: string): Column {
  return { name, type: 'string', jsonPath }
}

export function countColumn(name: string, jsonPath: string): Column {
  return { name, type: 'number', jsonPath }
}

/** The status of one condition: True, False or Unknown. */
export function conditionColumn(name: string, condition: string = name): Column {
  return textColumn(name, `.status.conditions[?(@.type=="${condition}")].status`)
}

export const ageColumn: Column = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
}

export function wide(column: Column): Column {
  return { ...column, wide: true }
}
