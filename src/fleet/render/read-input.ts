import { annotations } from '../../api/annotations.ts'
import type { MachineConfigSpec } from '../../api/kinds/machine-config.ts'
import type { MachineConfig } from '../../api/resources.ts'
import type { Release } from '../../api/validation/extensions.ts'
import { validateMachineConfig } from '../../api/validation/machine-config.ts'
import { isObject } from '@machinist/core/json'
import type { Config } from '@machinist/ignition/config'
import type { ConfigMistake } from '../../planner/read-config.ts'
import { pathText } from '@machinist/ignition/report'
import { configShape } from '@machinist/ignition/shape'
import { keyHint } from '@machinist/ignition/validate/hints'
import { readConfig } from '../../planner/read-config.ts'

/** One MachineConfig, read and judged by itself. */
export interface RenderInput {
  readonly name: string
  /** The controller build that made it; empty if a user did. */
  readonly generatedBy: string
  /** The object that it is made from and goes away with: `KubeletConfig more-pods`. */
  readonly madeFrom?: string
  readonly spec: MachineConfigSpec
  readonly config: Config
  /** What cannot be used, in sentences that name the object and the field. Where there is any, the rest does not count. */
  readonly problems: readonly string[]
  /** What can be used but was not meant, without the name of the MachineConfig. */
  readonly mistakes: readonly ConfigMistake[]
}

export function readInput(machineConfig: MachineConfig, release: Release = 'main'): RenderInput {
  const { name } = machineConfig.metadata
  const { config, problems, mistakes } = readConfig(machineConfig, 'new')
  const spec = isObject(machineConfig.spec) ? machineConfig.spec : {}
  const { ownerReferences: owners = [] } = machineConfig.metadata
  const owner = owners.find(({ controller }) => controller === true) ?? owners[0]
  return {
    name,
    generatedBy: machineConfig.metadata.annotations?.[annotations.generatedByController] ?? '',
    ...(owner && { madeFrom: `${owner.kind} ${owner.name}` }),
    spec,
    config: config.ignition,
    problems:
      problems.length > 0
        ? problems
        : [
            ...imageProblems(spec, name),
            ...validateMachineConfig(spec, release).map(
              ({ path, message }) => `${path} of ${name}: ${message}`,
            ),
            ...modeProblems(config.ignition, name),
          ],
    mistakes: [...fieldMistakes(spec), ...mistakes],
  }
}

const specFields: Readonly<Record<keyof MachineConfigSpec, true>> = {
  baseOSExtensionsContainerImage: true,
  config: true,
  extensions: true,
  fips: true,
  kernelArguments: true,
  kernelType: true,
  osImageURL: true,
}

/** Fields that a MachineConfig does not have. The API server drops them, so only files have any. */
export function fieldMistakes(spec: MachineConfigSpec): ConfigMistake[] {
  return Object.keys(spec)
    .filter((field) => !Object.hasOwn(specFields, field))
    .map((field) => {
      const hint = Object.hasOwn(configShape, field)
        ? `did you mean spec.config.${field}?`
        : keyHint(field, specFields)
      const advice = hint === undefined ? '' : `; ${hint}`
      return {
        mistake: 'certain',
        message: `spec${pathText([field]).slice(1)} is ignored: a MachineConfig has no such field${advice}`,
      }
    })
}

function imageProblems({ baseOSExtensionsContainerImage: image }: MachineConfigSpec, name: string) {
  const wrong = image !== undefined && image !== null && typeof image !== 'string'
  return wrong ? [`spec.baseOSExtensionsContainerImage of ${name} has to be a text`] : []
}

/** From 3.4 on Ignition takes setuid, setgid and sticky bits; MachineConfigs with them are refused, as MCO does. */
function modeProblems({ storage }: Config, name: string): string[] {
  return (storage?.files ?? []).flatMap(({ path, mode = 0 }, i) =>
    mode <= 0o777
      ? []
      : [
          `spec.config.storage.files[${i}].mode of ${name}: mode ${mode.toString(8)} of ${path} cannot exceed 0777`,
        ],
  )
}
