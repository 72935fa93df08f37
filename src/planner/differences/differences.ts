import type { FileDifference } from './files.ts'
import { differingFiles, filesOf } from './files.ts'
import type { KernelArgumentChange } from './kernel-arguments.ts'
import { kernelArgumentChange } from './kernel-arguments.ts'
import type { ReadConfig } from './read-config.ts'
import type { DropinDifference, UnitDifference } from './units.ts'
import { differingDropins, differingUnits, dropinsOf, unitsOf } from './units.ts'
import type { KeysDifference, PasswordDifference } from './users.ts'
import { differingKeys, differingPasswords } from './users.ts'

/** All differences between two configs that matter to a node, in a fixed order. */
export interface Differences extends OsDifferences {
  readonly files: readonly FileDifference[]
  readonly units: readonly UnitDifference[]
  readonly dropins: readonly DropinDifference[]
  readonly keys?: KeysDifference
  readonly passwords: readonly PasswordDifference[]
}

/** Differences of the operating system, which take effect after a reboot. */
export interface OsDifferences {
  readonly kernelArguments?: KernelArgumentChange
  readonly kernelType?: FromTo<string>
  readonly extensions?: FromTo<readonly string[]>
  readonly osImage?: FromTo<string>
  readonly fips?: FromTo<boolean>
}

export interface FromTo<T> {
  readonly from: T
  readonly to: T
}

export function differencesOf(before: ReadConfig, after: ReadConfig): Differences {
  const [old, now] = [before.ignition, after.ignition]
  const keys = differingKeys(old, now)
  return {
    files: differingFiles(filesOf(old), filesOf(now)),
    units: differingUnits(unitsOf(old), unitsOf(now)),
    dropins: differingDropins(dropinsOf(old), dropinsOf(now)),
    ...(keys && { keys }),
    passwords: differingPasswords(old, now),
    ...osDifferences(before, after),
  }
}

function osDifferences(before: ReadConfig, after: ReadConfig): OsDifferences {
  const kernelArguments = kernelArgumentChange(before.kernelArguments, after.kernelArguments)
  const kernelType = fromTo(before.kernelType, after.kernelType)
  const osImage = fromTo(before.osImage, after.osImage)
  const fips = fromTo(before.fips, after.fips)
  const [from, to] = [before.extensions, after.extensions]
  return {
    ...(kernelArguments && { kernelArguments }),
    ...(kernelType && { kernelType }),
    ...(!sameSet(from, to) && { extensions: { from, to } }),
    ...(osImage && { osImage }),
    ...(fips && { fips }),
  }
}

function fromTo<T>(from: T, to: T): FromTo<T> | undefined {
  return from === to ? undefined : { from, to }
}

/** Neither list has duplicates. */
function sameSet(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && new Set(a).isSubsetOf(new Set(b))
}
