import type { Asked } from './asked.ts'
import { none, reboot } from './asked.ts'
import type { Differences } from './differences.ts'
import type { NodeFacts } from './update-plan.ts'

const alwaysRebooting = {
  kernelArguments: 'kernel arguments take effect at boot',
  kernelType: 'another kernel takes effect at boot',
  extensions: 'extensions take effect at boot',
  osImage: 'another operating system image takes effect at boot',
  fips: 'FIPS mode takes effect at boot',
} as const

/** What means a reboot under all rules, and cannot be decided otherwise. */
export function askedAlways(differences: Differences, facts: NodeFacts): Asked[] {
  const kinds = Object.keys(alwaysRebooting) as (keyof typeof alwaysRebooting)[]
  return kinds
    .filter((kind) => differences[kind] !== undefined)
    .map((kind) =>
      facts.osChanges
        ? { actions: [reboot], rule: alwaysRebooting[kind], because: kind }
        : {
            actions: [none],
            rule: 'this node cannot change its operating system',
            because: kind,
          },
    )
}
