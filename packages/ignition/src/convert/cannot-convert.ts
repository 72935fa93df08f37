import { InvalidInput } from '@machinist/core/errors'
import type { Path } from '../report.ts'
import { pathText } from '../report.ts'

/** One thing in a config that the wanted version cannot say. */
export interface Reason {
  readonly path: Path
  readonly why: string
}

/** A config would lose something on its way to another version. Names everything that is in the way, not only the first. */
export class CannotConvert extends InvalidInput {
  readonly reasons: readonly Reason[]

  constructor(to: string, reasons: readonly Reason[]) {
    const list = reasons.map(({ path, why }) => `${pathText(path)} ${why}`)
    super(`cannot be converted to Ignition ${to}: ${list.join('; ')}`)
    this.name = 'CannotConvert'
    this.reasons = reasons
  }
}
