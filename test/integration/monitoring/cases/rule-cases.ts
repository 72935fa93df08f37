import type { Numbers } from '../firing.ts'

/** What one file of rules has to be like. */
export interface RuleCases {
  /** deploy/monitoring/<file>-rules.yaml */
  readonly file: string
  /** In its order: `Name severity`. */
  readonly alerts: readonly string[]
  /** By what labels its alerts and its metrics are told apart, and what else its metrics carry. */
  readonly names: readonly string[]
  readonly labels?: Readonly<Record<string, string>>
  /** What the metrics say for two hours, and what has fired then. Told apart by the labels. */
  readonly cases: Readonly<Record<string, Case>>
  /** The same for what no label tells apart: each has a world of its own. */
  readonly alone?: Readonly<Record<string, Case>>
  /** What fires where nobody tells any number. */
  readonly whenSilent: readonly string[]
}

export type Case = readonly [Numbers, ...fires: string[]]
