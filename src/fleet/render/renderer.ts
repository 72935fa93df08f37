import { utf8Length } from '@machinist/core/encoding/bytes'
import type { Config } from '@machinist/ignition/spec/config'
import { pathText } from '@machinist/ignition/report/report'
import { validate } from '@machinist/ignition/validate/validate'
import type { Release } from '../../api/validation/extensions.ts'
import { validateMerged } from '../../api/validation/machine-config.ts'
import type { Provenance } from '../../planner/model/plan-input.ts'
import { encodeProvenance } from '../../planner/provenance/provenance.ts'
import type { DefaultImages, MergedInputs, RenderedSpec } from './merge-inputs.ts'
import { mergeInputs } from './merge-inputs.ts'
import { convertForRelease } from './ignition-version.ts'
import type { RenderInput } from './read-input.ts'
import { canonicalForm, digestOf, renderedName } from './rendered-name.ts'

/** The rendered config of a pool. */
export interface RenderedConfig extends MergedInputs {
  readonly name: string
  readonly spec: RenderedSpec
  readonly digest: string
  readonly provenance: Provenance
  /** The provenance as the value of the annotation. */
  readonly provenanceText: string
  /** The approximate size of the stored object in bytes. */
  readonly size: number
  /** Errors of the merged config, as sentences. */
  readonly problems: readonly string[]
  /** Fields that the Ignition version of the release cannot express, as sentences. */
  readonly losses: readonly string[]
}

/** Merges and validates inputs and names the result. Inputs are valid and in merge order. */
export function renderInputs(
  pool: string,
  inputs: readonly RenderInput[],
  images: DefaultImages,
  release: Release = 'main',
): RenderedConfig {
  const merged = mergeInputs(inputs, images, release)
  const { sources } = merged
  const provenance = sources.provenance()
  const { config, losses } = convertForRelease(merged.spec.config, release, { sources, provenance })
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

/** Contents are validated with their input already, and would take most of the time. */
function withoutContents(config: Config): Config {
  const files = config.storage?.files?.map((file) => {
    const { contents } = file
    if (!contents?.source?.startsWith('data:')) return file
    return { ...file, contents: { ...contents, source: 'data:,' } }
  })
  return files ? { ...config, storage: { ...config.storage, files } } : config
}

interface CachedRender {
  readonly inputs: readonly RenderInput[]
  readonly images: DefaultImages
  readonly rendered: RenderedConfig
}

/** Renders pools and caches the last result of each pool while its inputs do not change. */
export class Renderer {
  readonly #release: Release
  readonly #last = new Map<string, CachedRender>()

  constructor(release: Release = 'main') {
    this.#release = release
  }

  render(pool: string, inputs: readonly RenderInput[], images: DefaultImages): RenderedConfig {
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
