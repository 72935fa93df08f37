import { kernelTypes } from '../../api/names.ts'
import type { Differences } from '../differences/differences.ts'
import type { ReadConfig } from '../differences/read-config.ts'
import type { NodeFacts, PlanStep } from '../model/update-plan.ts'

/** All OS changes in one step, because image, kernel, packages and kernel arguments take effect together. */
export function osStep(
  before: ReadConfig,
  after: ReadConfig,
  differences: Differences,
  { os, bootedImage, forced }: NodeFacts,
): PlanStep[] {
  const { kernelArguments } = differences
  const isRequired = differences.osImage !== undefined || forced
  const image = os.osImage && isRequired && after.osImage !== '' && after.osImage !== bootedImage
  const changes: OsChanges = {
    ...(image && { image: { from: before.osImage, to: after.osImage } }),
    ...(os.kernelType &&
      appliesKernel(image, differences, after) && {
        kernelType: { from: before.kernelType, to: after.kernelType },
      }),
    ...(os.extensions &&
      appliesPackages(image, differences, after) && {
        extensions: { from: before.extensions, to: after.extensions },
      }),
    ...(os.kernelArguments && kernelArguments && { kernelArguments }),
  }
  return Object.keys(changes).length === 0 ? [] : [{ do: 'change-os', ...changes }]
}

type OsChanges = Omit<Extract<PlanStep, { do: 'change-os' }>, 'do'>

/** A new image has the default kernel and no extensions, so other settings must be applied to it again. */
const appliesKernel = (image: boolean, { kernelType }: Differences, after: ReadConfig): boolean =>
  kernelType !== undefined || (image && after.kernelType !== kernelTypes.default)

const appliesPackages = (image: boolean, { extensions }: Differences, after: ReadConfig): boolean =>
  extensions !== undefined || (image && after.extensions.length > 0)
