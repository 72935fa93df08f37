import type { Probe } from './probe.ts'
import { ruleProbes } from './rule-probes.ts'
import { structureProbes } from './structure-probes.ts'
import { updateProbes } from './update-probes.ts'
import { valueProbes } from './value-probes.ts'

export const probes: Readonly<Record<string, Probe>> = {
  ...valueProbes,
  ...structureProbes,
  ...ruleProbes,
  ...updateProbes,
}
