import type { Release } from '../../api/validation/extensions.ts'
import { validateMerged } from '../../api/validation/machine-config.ts'
import { utf8Length } from '@machinist/core/bytes'
import type { Config } from '@machinist/ignition/config'
import { pathText } from '@machinist/ignition/report'
import { validate } from '@machinist/ignition/validate/validate'
import type { Provenance } from '../../planner/plan-input.ts'
import { encodeProvenance } from '../../planner/provenance.ts'
import type { DefaultImages, Merged, RenderedSpec } from './merge-inputs.ts'
import { mergeInputs } from './merge-inputs.ts'
import { forRelease } from './ignition-version.ts'
import type { RenderInput } from './read-input.ts'
import { canonicalForm, digestOf, renderedName } from './rendered-name.ts'

/** What the MachineConfigs of a pool come to. */
export interface Rendered extends Merged {
  readonly name: string
  readonly spec: RenderedSpec
  readonly digest: string
  readonly provenance: Provenance
  /** The same, as it stands in the annotation. */
  readonly provenanceText: string
  /** In bytes, to within a few: what the API server has to store. */
  readonly size: number
  /** What only the whole shows to be wrong, in sentences. */
  readonly problems: readonly string[]
  /** What the Ignition version of the release cannot express, in sentences. */
  readonly losses: readonly string[]
}

/** Merges, judges and names. Inputs are in merge order and have no problems of their own. */
export function renderInputs(
  pool: string,
  inputs: readonly RenderInput[],
  images: DefaultImages,
  release: Release = 'main',
): Rendered {
  const merged = mergeInputs(inputs, images, release)
  const { sources } = merged
  const provenance = sources.provenance()
  const { config, losses } = forRelease(merged.spec.config, release, { sources, provenance })
  const spec = { ...merged.spec, config }
  const canonical = canonicalForm(spec)
  const digest = digestOf(canonical)
  const provenanceText = encodeProvenance(provenance)
  return {
    ...merged,
    spec,
    name: renderedName(pool, digest),
    digest,
    provenance,
    provenanceText,
    size: sum(canonical.map(utf8Length)) + provenanceText.length,
    problems: problemsOf(merged.spec, release),
    losses,
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0)

function problemsOf(spec: RenderedSpec, release: Release): string[] {
  const { entries } = validate(withoutContents(spec.config))
  return [
    ...validateMerged({ ...spec }, release).map(({ path, message }) => `${path}: ${message}`),
    ...entries
      .filter(({ level }) => level === 'error')
      .map(({ path, message }) => `spec.config${pathText(path).slice(1)} ${message}`),
  ]
}

/** Contents were judged with the input they came from, and are most of the work. */
function withoutContents(config: Config): Config {
  const files = config.storage?.files?.map((file) => {
    const { contents } = file
    if (!contents?.source?.startsWith('data:')) return file
    return { ...file, contents: { ...contents, source: 'data:,' } }
  })
  return files ? { ...config, storage: { ...config.storage, files } } : config
}

interface Memory {
  readonly inputs: readonly RenderInput[]
  readonly images: DefaultImages
  readonly rendered: Rendered
}

/** Renders, and remembers per pool what it rendered last: as long as nothing changed, that is the answer. */
export class Renderer {
  readonly #release: Release
  readonly #last = new Map<string, Memory>()

  constructor(release: Release = 'main') {
    this.#release = release
  }

  render(pool: string, inputs: readonly RenderInput[], images: DefaultImages): Rendered {
    const last = this.#last.get(pool)
    if (last && sameItems(last.inputs, inputs) && sameImages(last.images, images)) {
      return last.rendered
    }
    const rendered = renderInputs(pool, inputs, images, this.#release)
    this.#last.set(pool, { inputs, images, rendered })
    return rendered
  }

  forget(pool: string): void {
    this.#last.delete(pool)
  }
}

const sameItems = <T>(a: readonly T[], b: readonly T[]): boolean =>
  a.length === b.length && a.every((item, i) => item === b[i])

const sameImages = (a: DefaultImages, b: DefaultImages): boolean =>
  a.osImageURL === b.osImageURL &&
  a.baseOSExtensionsContainerImage === b.baseOSExtensionsContainerImage
