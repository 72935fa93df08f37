import { kernelTypes } from '../../api/names.ts'
import type { Release } from '../../api/validation/extensions.ts'
import type { Config } from '@machinist/ignition/config'
import { mergeForNodes } from '@machinist/ignition/merge-for-nodes'
import type { RenderInput } from './read-input.ts'
import { Sources } from './sources.ts'

/** The images of the release; empty where nobody named any. */
export interface DefaultImages {
  readonly osImageURL: string
  readonly baseOSExtensionsContainerImage: string
}

/** The spec of a rendered MachineConfig: every field is there. */
export interface RenderedSpec {
  readonly baseOSExtensionsContainerImage: string
  readonly config: Config
  readonly extensions: string[]
  readonly fips: boolean
  readonly kernelArguments: string[]
  readonly kernelType: string
  readonly osImageURL: string
}

export interface Merged {
  readonly spec: RenderedSpec
  readonly sources: Sources
  readonly osImageOverridden: boolean
}

/** One spec out of many, in merge order. Inputs have no problems. */
export function mergeInputs(
  inputs: readonly RenderInput[],
  images: DefaultImages,
  release: Release = 'main',
): Merged {
  const sources = new Sources(inputs.map(({ name }) => name))
  const last = (
    field: 'osImageURL' | 'baseOSExtensionsContainerImage' | 'kernelType',
    otherwise: string,
    counts: (input: RenderInput, value: string) => boolean,
  ): string => {
    const from = inputs.findLastIndex((input) => counts(input, input.spec[field] ?? ''))
    if (from < 0) return otherwise
    if (field !== 'baseOSExtensionsContainerImage') sources.brought(kindOf[field], '', from)
    return inputs[from]!.spec[field]!
  }
  // What a controller made does not override an image in newer releases: it only repeats an older default.
  const names = (input: RenderInput, image: string): boolean =>
    image !== '' && (release !== 'main' || input.generatedBy === '')
  const osImageURL = last('osImageURL', images.osImageURL, names)
  return {
    spec: {
      baseOSExtensionsContainerImage: last(
        'baseOSExtensionsContainerImage',
        images.baseOSExtensionsContainerImage,
        names,
      ),
      config: mergeForNodes(
        inputs.map(({ config }) => config),
        sources,
      ),
      extensions: concatenated('extensions', inputs, sources),
      fips: anyFips(inputs, sources),
      kernelArguments: kernelArguments(inputs, sources, release),
      // An explicit default never undoes another kernel: that is how the original has always been.
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

function anyFips(inputs: readonly RenderInput[], sources: Sources): boolean {
  for (const [from, { spec }] of inputs.entries()) {
    if (spec.fips === true) sources.brought('fips', '', from)
  }
  return inputs.some(({ spec }) => spec.fips === true)
}

/** Each entry has its origin, and so has the list as a whole. */
function concatenated(
  field: 'extensions' | 'kernelArguments',
  inputs: readonly RenderInput[],
  sources: Sources,
): string[] {
  return inputs.flatMap(({ spec }, from) => {
    const entries = spec[field] ?? []
    for (const entry of entries) {
      sources.brought(field, '', from)
      sources.brought(field, entry, from)
    }
    return entries
  })
}

/** Up to 4.12 an argument that comes again was left out. */
function kernelArguments(
  inputs: readonly RenderInput[],
  sources: Sources,
  release: Release,
): string[] {
  const all = concatenated('kernelArguments', inputs, sources)
  return release === '4.12' ? [...new Set(all)] : all
}
