import { isObject } from '@machinist/core/encoding/json'
import type { Config } from '@machinist/ignition/spec/config'
import { pathText } from '@machinist/ignition/report/report'
import { configShape } from '@machinist/ignition/spec/shape'
import { keyHint } from '@machinist/ignition/validate/hints'
import { annotations } from '../../api/annotations.ts'
import type { MachineConfigSpec } from '../../api/kinds/machine-config.ts'
import type { MachineConfig } from '../../api/kinds/resources.ts'
import type { Release } from '../../api/validation/extensions.ts'
import { validateMachineConfig } from '../../api/validation/machine-config.ts'
import type { ConfigMistake } from '../../planner/differences/read-config.ts'
import { readConfig } from '../../planner/differences/read-config.ts'

/** One MachineConfig, parsed and validated on its own. */
export interface RenderInput {
  readonly name: string
  /** The controller build that generated it; empty if a user created it. */
  readonly generatedBy: string
  /** The owner that it is generated from: `KubeletConfig more-pods`. */
  readonly madeFrom?: string
  readonly spec: MachineConfigSpec
  readonly config: Config
  /** Errors as sentences that name the object and the field. With any error the other fields are not valid. */
  readonly problems: readonly string[]
  /** Likely mistakes that do not prevent rendering, without the name of the MachineConfig. */
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

/** Unknown fields of a MachineConfig. The API server drops them, so only files can have any. */
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
  const isInvalid = image !== undefined && image !== null && typeof image !== 'string'
  return isInvalid ? [`spec.baseOSExtensionsContainerImage of ${name} must be a string`] : []
}

/** Ignition accepts setuid, setgid and sticky bits from 3.4 on; MachineConfigs with them are rejected, as in MCO. */
function modeProblems({ storage }: Config, name: string): string[] {
  return (storage?.files ?? []).flatMap(({ path, mode = 0 }, i) =>
    mode <= 0o777
      ? []
      : [
          `spec.config.storage.files[${i}].mode of ${name}: mode ${mode.toString(8)} of ${path} cannot exceed 0777`,
        ],
  )
}
