import type { KubeObject, Resource } from '@machinist/core/objects/resource'
import type { Rule, Schema } from './schema.ts'

/** The definition of a kind, from which its CustomResourceDefinition is generated. */
export interface Kind {
  readonly resource: Resource
  readonly description: string
  readonly shortNames: readonly string[]
  readonly columns: readonly Column[]
  readonly spec: Schema
  /** Also enables the status subresource, so that spec and status have separate permissions. */
  readonly status?: Schema
  readonly specRequired: boolean
  readonly rules: readonly Rule[]
}

/** A printer column of `kubectl get`. Wide columns are printed with `-o wide` only. */
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

/** A column with the status of a condition: True, False or Unknown. */
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
