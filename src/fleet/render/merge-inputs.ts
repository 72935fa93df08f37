import type { Config } from '@machinist/ignition/spec/config'
import { mergeForNodes } from '@machinist/ignition/merge-for-nodes'
import { kernelTypes } from '../../api/names.ts'
import type { Release } from '../../api/validation/extensions.ts'
import type { RenderInput } from './read-input.ts'
import { MergeSources } from './sources.ts'

/** The images of the release; empty if it has none. */
export interface DefaultImages {
  readonly osImageURL: string
  readonly baseOSExtensionsContainerImage: string
}

/** The spec of a rendered MachineConfig, with every field set. */
export interface RenderedSpec {
  readonly baseOSExtensionsContainerImage: string
  readonly config: Config
  readonly extensions: string[]
  readonly fips: boolean
  readonly kernelArguments: string[]
  readonly kernelType: string
  readonly osImageURL: string
}

export interface MergedInputs {
  readonly spec: RenderedSpec
  readonly sources: MergeSources
  readonly osImageOverridden: boolean
}

/** Merges specs in merge order. Inputs must be valid. */
export function mergeInputs(
  inputs: readonly RenderInput[],
  images: DefaultImages,
  release: Release = 'main',
): MergedInputs {
  const sources = new MergeSources(inputs.map(({ name }) => name))
  const last = (
    field: 'osImageURL' | 'baseOSExtensionsContainerImage' | 'kernelType',
    fallback: string,
    matches: (input: RenderInput, value: string) => boolean,
  ): string => {
    const from = inputs.findLastIndex((input) => matches(input, input.spec[field] ?? ''))
    if (from < 0) return fallback
    if (field !== 'baseOSExtensionsContainerImage') sources.add(kindOf[field], '', from)
    return inputs[from]!.spec[field]!
  }
  // In newer releases a generated MachineConfig does not override an image: it only repeats an older default.
  const overrides = (input: RenderInput, image: string): boolean =>
    image !== '' && (release !== 'main' || input.generatedBy === '')
  const osImageURL = last('osImageURL', images.osImageURL, overrides)
  return {
    spec: {
      baseOSExtensionsContainerImage: last(
        'baseOSExtensionsContainerImage',
        images.baseOSExtensionsContainerImage,
        overrides,
      ),
      config: mergeForNodes(
        inputs.map(({ config }) => config),
        sources,
      ),
      extensions: concatenate('extensions', inputs, sources),
      fips: anyFips(inputs, sources),
      kernelArguments: kernelArguments(inputs, sources, release),
      // As in MCO, an explicit default never overrides another kernel type.
      kernelType: last(
        'kernelType',
        kernelTypes.default,
        (_, type) => type !== '' && type !== kernelTypes.default,
      ),
      osImageURL,
    },
    sources,
    osImageOverridden: osImageURL !== images.osImageURL,
  }
}

const kindOf = { osImageURL: 'osImage', kernelType: 'kernelType' } as const

function anyFips(inputs: readonly RenderInput[], sources: MergeSources): boolean {
  for (const [from, { spec }] of inputs.entries()) {
    if (spec.fips === true) sources.add('fips', '', from)
  }
  return inputs.some(({ spec }) => spec.fips === true)
}

/** Records the source of each entry and of the whole list. */
function concatenate(
  field: 'extensions' | 'kernelArguments',
  inputs: readonly RenderInput[],
  sources: MergeSources,
): string[] {
  return inputs.flatMap(({ spec }, from) => {
    const entries = spec[field] ?? []
    for (const entry of entries) {
      sources.add(field, '', from)
      sources.add(field, entry, from)
    }
    return entries
  })
}

/** Releases up to 4.12 drop repeated arguments. */
function kernelArguments(
  inputs: readonly RenderInput[],
  sources: MergeSources,
  release: Release,
): string[] {
  const all = concatenate('kernelArguments', inputs, sources)
  return release === '4.12' ? [...new Set(all)] : all
}
