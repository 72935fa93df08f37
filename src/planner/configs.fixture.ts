import type { Config, File, Unit, User } from '@machinist/ignition/spec/config'
import type { MachineConfigSpec } from '../api/kinds/machine-config.ts'
import type { MachineConfig } from '../api/kinds/resources.ts'
import { mergePolicies } from '../api/disruption-policy/merge.ts'
import { osCapabilities } from './model/os-capabilities.ts'
import type { PlanInput } from './model/plan-input.ts'
import { plan } from './plan.ts'
import type { NodeFacts, UpdatePlan } from './model/update-plan.ts'

/** Short notation for MachineConfigs in tests. */

export const facts: NodeFacts = {
  os: osCapabilities['rpm-ostree'],
  architecture: 'amd64',
  forced: false,
  drains: true,
  keysPath: 'authorized_keys.d/ignition',
}

export const defaultRules = { policies: mergePolicies() }

export function machineConfig(name: string, spec: MachineConfigSpec): MachineConfig {
  return {
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: 'MachineConfig',
    metadata: { name },
    spec,
  }
}

export interface Parts extends Omit<MachineConfigSpec, 'config'> {
  readonly files?: readonly File[]
  readonly units?: readonly Unit[]
  readonly users?: readonly User[]
  readonly config?: Partial<Config>
}

/** The spec of a MachineConfig with these files, units and users. */
export function spec({ files, units, users, config, ...rest }: Parts): MachineConfigSpec {
  const ignition: Config = {
    ignition: { version: '3.5.0' },
    ...config,
    ...(files && { storage: { ...config?.storage, files: [...files] } }),
    ...(units && { systemd: { units: [...units] } }),
    ...(users && { passwd: { ...config?.passwd, users: [...users] } }),
  }
  return { ...rest, config: ignition }
}

export const file = (path: string, content = '', mode = 0o644): File => ({
  path,
  mode,
  contents: { source: `data:,${encodeURIComponent(content)}` },
})

/** The plan from one config to another, by default with the default policies. */
export function planned(
  before: Parts,
  after: Parts,
  options: Partial<Omit<PlanInput, 'current' | 'desired'>> = {},
): UpdatePlan {
  return plan({
    current: machineConfig('old', spec(before)),
    desired: machineConfig('new', spec(after)),
    rules: defaultRules,
    facts,
    ...options,
  })
}

/** `Reload crio.service`, one per action. */
export function actionTexts({ actions }: UpdatePlan): string[] {
  return actions.map(({ type, service }) => (service === undefined ? type : `${type} ${service}`))
}
