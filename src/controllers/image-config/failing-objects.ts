import type { Metrics } from '@machinist/core/metrics'
import type { ObjectReference } from '@machinist/core/objects/resource'
import { keyText } from '@machinist/core/objects/resource'
import { names } from '../../api/names.ts'
import { images } from '../../api/openshift-config.ts'
import type { SettingsFailing } from '../generated/settings-failing.ts'
import { settingsFailing } from '../generated/settings-failing.ts'
import type { Problem } from './model/problem.ts'

/** The metric of objects that are invalid, in whole or in part. */
export class FailingObjects {
  readonly #gauge: SettingsFailing
  readonly #reported = new Map<string, { readonly kind: string; readonly name: string }>()

  constructor(metrics: Metrics) {
    this.#gauge = settingsFailing(metrics)
  }

  /** `problems` is undefined if the cluster has no image settings. */
  report(problems: readonly Problem[] | undefined): void {
    const failing = new Set<string>()
    const image = { kind: images.kind, name: names.clusterConfig }
    if (problems) this.#set(failing, image, problems.length > 0 ? 1 : 0)
    for (const { about } of problems ?? []) if (about) this.#set(failing, about, 1)
    for (const [key, series] of this.#reported) {
      if (failing.has(key)) continue
      this.#gauge.forget(series)
      this.#reported.delete(key)
    }
  }

  #set(failing: Set<string>, about: ObjectReference, value: number): void {
    const { kind = '', namespace, name = '' } = about
    const series = { kind, name: keyText({ name, ...(namespace !== undefined && { namespace }) }) }
    const key = `${series.kind} ${series.name}`
    failing.add(key)
    this.#reported.set(key, series)
    this.#gauge.set(series, value)
  }
}
