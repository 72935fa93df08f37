import { nodePaths } from '../../api/node-paths.ts'
import type { Provenance } from '../../planner/model/plan-input.ts'
import type { Difference } from '../verify/difference.ts'

/** Keeps the text readable, and below the limit of the reason annotation. */
const maxCharacters = 1700

/** Describes the differences in one line, with the MachineConfig that each path comes from, if known. */
export function describeDifferences(
  differences: readonly Difference[],
  provenance: Provenance = {},
): string {
  const clauses: string[] = []
  let length = 0
  for (const difference of differences) {
    const { at, what } = difference
    const origin = originOf(difference, provenance)
    const clause =
      origin === undefined ? `${at} ${what}` : `${at} (MachineConfig ${origin}) ${what}`
    length += clause.length + 2
    if (length > maxCharacters && clauses.length > 0) break
    clauses.push(clause)
  }
  const left = differences.length - clauses.length
  return left === 0 ? clauses.join('; ') : `${clauses.join('; ')}; and ${left} more`
}

function originOf({ kind, at }: Difference, provenance: Provenance): string | undefined {
  const unit = at.slice(nodePaths.units.length + 1)
  const keys: Readonly<Record<Difference['kind'], string>> = {
    file: at,
    unit,
    dropin: unit.replace('.d/', '/'),
    osImage: '',
    kernelArguments: '',
    sshKeys: 'core',
  }
  const known = provenance[kind]
  return known && Object.hasOwn(known, keys[kind]) ? known[keys[kind]] : undefined
}
