import type { Host } from '../host/host.ts'
import type { PlanInput } from '../../planner/model/plan-input.ts'
import { plan } from '../../planner/plan.ts'
import { mergePolicies } from '../../api/disruption-policy/merge.ts'
import type { NodeFacts } from '../../planner/model/update-plan.ts'
import type { Parts } from '../../planner/configs.fixture.ts'
import { facts, machineConfig, spec } from '../../planner/configs.fixture.ts'
import type { UpdateOutcome, Update } from './update.ts'
import { testRun, createUpdates } from './machine.fixture.ts'

/** Changes below these paths need no action. */
const quiet: PlanInput['rules'] = {
  policies: mergePolicies({
    files: ['/etc', '/home', '/opt'].map((path) => ({
      path,
      actions: [{ type: 'None' as const }],
    })),
    units: ['own', 'crio', 'sshd', 'chronyd'].map((name) => ({
      name: `${name}.service`,
      actions: [{ type: 'None' as const }],
    })),
    sshkey: { actions: [{ type: 'None' }] },
  }),
}

export function updateBetween(
  before: Parts,
  after: Parts,
  moreFacts: Partial<NodeFacts> = {},
  rules: PlanInput['rules'] = quiet,
): Update {
  const [current, desired] = [machineConfig('old', spec(before)), machineConfig('new', spec(after))]
  return {
    plan: plan({ current, desired, rules, facts: { ...facts, ...moreFacts } }),
    current,
    desired,
  }
}

export const apply = (host: Host, before: Parts, after: Parts): Promise<UpdateOutcome> =>
  createUpdates(host).run(updateBetween(before, after), testRun())
