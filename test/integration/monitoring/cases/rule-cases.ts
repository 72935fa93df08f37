import type { SeriesValues } from '../firing.ts'

/** The expected behaviour of one rule file. */
export interface RuleCases {
  /** deploy/monitoring/<file>-rules.yaml */
  readonly file: string
  /** `Name severity`, in the order of the file. */
  readonly alerts: readonly string[]
  /** Labels that identify the cases in alerts and metrics, and further labels of the metrics. */
  readonly names: readonly string[]
  readonly labels?: Readonly<Record<string, string>>
  /** Values of the metrics for two hours, and the alerts that fire at the end. */
  readonly cases: Readonly<Record<string, Case>>
  /** The same for cases that no label distinguishes: each is evaluated on its own. */
  readonly alone?: Readonly<Record<string, Case>>
  /** Alerts that fire without any metric. */
  readonly whenSilent: readonly string[]
}

export type Case = readonly [SeriesValues, ...fires: string[]]
