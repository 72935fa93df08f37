import { convert } from '@machinist/ignition/convert/convert'
import { parseAnyVersionValue } from '@machinist/ignition/convert/parse-any'
import type { AnyConfig, IgnitionVersion } from '@machinist/ignition/convert/versions'
import { fullVersion } from '@machinist/ignition/convert/versions'
import { CannotConvert } from '@machinist/ignition/report/cannot-convert'
import { entryText } from '@machinist/ignition/report/report'
import type { Report } from '@machinist/ignition/report/report'
import type { Config } from '@machinist/ignition/spec/config'
import { validate } from '@machinist/ignition/validate/validate'
import type { MachineConfig } from '../../api/kinds/resources.ts'
import { addedFiles, withFiles } from './added-files.ts'
import type { AnswerInputs } from './inputs.ts'
import { moveKernelArguments } from './kernel-arguments.ts'
import { lostFields } from './lost-fields.ts'
import type { Refusal } from './refusal.ts'
import { isRefusal, notExpressible, notYet } from './refusal.ts'

/** The config of a pool in one version, as JSON. Secret: it contains a credential and every managed file. */
export interface ServedConfig {
  readonly type: 'config'
  /** The rendered MachineConfig. */
  readonly name: string
  readonly version: IgnitionVersion
  readonly body: string
}

/** Pure: the config for new machines of a pool in this version, or why there is none. */
export function answer(inputs: AnswerInputs, version: IgnitionVersion): ServedConfig | Refusal {
  const { image } = inputs
  const { name } = inputs.config.metadata
  const served = withImage(inputs.config, image)
  const own = ignitionOf(served)
  if (isRefusal(own)) return own
  const { ignition, machineConfig, lost } = moveKernelArguments(own, served, version)
  if (lost.length > 0) return notExpressible(name, fullVersion(version), lost)
  const files = addedFiles({ ...inputs, served, firstBoot: machineConfig, version })
  const whole = withFiles(ignition, files)
  const converted = convertedTo(version, whole, inputs.config)
  if (isRefusal(converted)) return converted
  return { type: 'config', name, version, body: JSON.stringify(converted) }
}

function withImage(
  config: Readonly<MachineConfig>,
  image: string | undefined,
): Readonly<MachineConfig> {
  return image === undefined ? config : { ...config, spec: { ...config.spec, osImageURL: image } }
}

function ignitionOf({ metadata, spec }: Readonly<MachineConfig>): Config | Refusal {
  if (spec?.config === undefined || spec.config === null) return emptyIgnition
  const { config, report } = parseAnyVersionValue(spec.config)
  return config ?? invalid(metadata.name, report)
}

const emptyIgnition: Config = { ignition: { version: '3.5.0' } }

function convertedTo(
  version: IgnitionVersion,
  config: Config,
  rendered: Readonly<MachineConfig>,
): AnyConfig | Refusal {
  const { name } = rendered.metadata
  try {
    const converted = convert(config, version)
    if (converted !== config) return converted
    // A conversion validates its result; without one, the added files may conflict with links of the config.
    const report = validate(config)
    return report.fatal ? invalid(name, report) : config
  } catch (error) {
    if (!(error instanceof CannotConvert)) throw error
    return notExpressible(name, fullVersion(version), lostFields(error.reasons, config, rendered))
  }
}

/** Ignition would reject the config, and the machine would stop in its emergency shell. */
function invalid(name: string, { entries }: Report): Refusal {
  const first = entries.find(({ level }) => level === 'error')
  return notYet(
    'InvalidConfig',
    `the Ignition config of MachineConfig ${name} is invalid${first ? `: ${entryText(first)}` : ''}`,
    'Correct the MachineConfig that sets this field.',
  )
}
