import type { Differences } from '../differences/differences.ts'
import { argumentsText } from '../differences/kernel-arguments.ts'
import type { NodeFacts } from '../model/update-plan.ts'
import type { RequestedActions } from './requested.ts'
import { none, reboot } from './requested.ts'

const alwaysRebooting = {
  kernelArguments: 'kernel arguments take effect at boot',
  kernelType: 'the kernel type takes effect at boot',
  extensions: 'extensions take effect at boot',
  osImage: 'the OS image takes effect at boot',
  fips: 'FIPS mode takes effect at boot',
} as const

/** The changes that require a reboot under all rules. */
export function requestedAlways(differences: Differences, facts: NodeFacts): RequestedActions[] {
  const kinds = Object.keys(alwaysRebooting) as (keyof typeof alwaysRebooting)[]
  return kinds
    .filter((kind) => differences[kind] !== undefined)
    .map((kind) => requestedBy(kind, differences, facts))
}

function requestedBy(
  kind: keyof typeof alwaysRebooting,
  { kernelArguments }: Differences,
  facts: NodeFacts,
): RequestedActions {
  if (!canChange(facts, kind)) {
    const rule = 'the OS driver of this machine cannot change it'
    return { actions: [none], rule, because: kind }
  }
  const requested: RequestedActions = {
    actions: [reboot],
    rule: alwaysRebooting[kind],
    because: kind,
  }
  return kind === 'kernelArguments' && kernelArguments
    ? { ...requested, detail: argumentsText(kernelArguments) }
    : requested
}

const canChange = ({ os }: NodeFacts, kind: keyof typeof alwaysRebooting): boolean =>
  kind === 'fips' ? os.driver !== 'packages' : os[kind]
