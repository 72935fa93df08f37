import type { Asked } from './asked.ts'
import { none, reboot } from './asked.ts'
import type { Differences } from './differences.ts'
import { argumentsText } from './kernel-arguments.ts'
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
    .map((kind) => askedBy(kind, differences, facts))
}

function askedBy(
  kind: keyof typeof alwaysRebooting,
  { kernelArguments }: Differences,
  facts: NodeFacts,
): Asked {
  if (!canChange(facts, kind)) {
    const rule = 'the operating system of this machine cannot change it'
    return { actions: [none], rule, because: kind }
  }
  const asked: Asked = { actions: [reboot], rule: alwaysRebooting[kind], because: kind }
  return kind === 'kernelArguments' && kernelArguments
    ? { ...asked, detail: argumentsText(kernelArguments) }
    : asked
}

const canChange = ({ os }: NodeFacts, kind: keyof typeof alwaysRebooting): boolean =>
  kind === 'fips' ? os.driver !== 'packages' : os[kind]
