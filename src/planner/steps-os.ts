import { kernelTypes } from '../api/names.ts'
import type { Differences } from './differences.ts'
import type { ReadConfig } from './read-config.ts'
import type { NodeFacts, Step } from './update-plan.ts'

/** Everything that the next boot brings, as one step: image, kernel, packages and kernel arguments belong together. */
export function osStep(
  before: ReadConfig,
  after: ReadConfig,
  differences: Differences,
  { os, bootedImage, forced }: NodeFacts,
): Step[] {
  const { kernelArguments } = differences
  const wanted = differences.osImage !== undefined || forced
  const image = os.osImage && wanted && after.osImage !== '' && after.osImage !== bootedImage
  const changes: OsChanges = {
    ...(image && { image: { from: before.osImage, to: after.osImage } }),
    ...(os.kernelType &&
      kernelOn(image, differences, after) && {
        kernelType: { from: before.kernelType, to: after.kernelType },
      }),
    ...(os.extensions &&
      packagesOn(image, differences, after) && {
        extensions: { from: before.extensions, to: after.extensions },
      }),
    ...(os.kernelArguments && kernelArguments && { kernelArguments }),
  }
  return Object.keys(changes).length === 0 ? [] : [{ do: 'change-os', ...changes }]
}

type OsChanges = Omit<Extract<Step, { do: 'change-os' }>, 'do'>

/** Another image comes with the default kernel and without extensions: what is not default has to be put on it anew. */
const kernelOn = (image: boolean, { kernelType }: Differences, after: ReadConfig): boolean =>
  kernelType !== undefined || (image && after.kernelType !== kernelTypes.default)

const packagesOn = (image: boolean, { extensions }: Differences, after: ReadConfig): boolean =>
  extensions !== undefined || (image && after.extensions.length > 0)
