import { InvalidInput } from '@machinist/core/errors'
import type { Path } from './report.ts'
import { pathText } from './report.ts'

/** A part of a config that the target version cannot express. */
export interface ConversionReason {
  readonly path: Path
  readonly why: string
}

/** The conversion of a config to another version would lose data. Lists all reasons. */
export class CannotConvert extends InvalidInput {
  readonly reasons: readonly ConversionReason[]

  constructor(to: string, reasons: readonly ConversionReason[]) {
    const list = reasons.map(({ path, why }) => `${pathText(path)} ${why}`)
    super(`cannot be converted to Ignition ${to}: ${list.join('; ')}`)
    this.name = 'CannotConvert'
    this.reasons = reasons
  }
}
