import { nodePaths } from '../../api/node-paths.ts'
import type { Provenance } from '../../planner/plan-input.ts'
import type { Difference } from '../verify/difference.ts'

/** As much as people read in one go, and an annotation holds. */
const mostCharacters = 1700

/** Everything that differs, in one line, with the MachineConfig that brought it where that is known. */
export function inWords(differences: readonly Difference[], provenance: Provenance = {}): string {
  const said: string[] = []
  let length = 0
  for (const difference of differences) {
    const { at, what } = difference
    const origin = originOf(difference, provenance)
    const clause =
      origin === undefined ? `${at} ${what}` : `${at} (MachineConfig ${origin}) ${what}`
    length += clause.length + 2
    if (length > mostCharacters && said.length > 0) break
    said.push(clause)
  }
  const left = differences.length - said.length
  return left === 0 ? said.join('; ') : `${said.join('; ')}; and ${left} more`
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
