import type { MachineConfigSpec } from '../../api/kinds/machine-config.ts'
import { nodePaths } from '../../api/node-paths.ts'
import { filesSpec } from '../generated/files-spec.ts'
import { isPattern, overlaps } from './match-images.ts'
import type { ProviderConfig } from './provider-file.ts'
import { crioProvider, noProviders, providersText, withCrioProvider } from './provider-file.ts'

/** From which a pool's kubelets know whom to ask, as the templates made it. */
export interface ProviderFile {
  readonly path: string
  readonly config: ProviderConfig
}

/** What a pool's kubelets have from templates, or why nothing can be built on it. */
export type Ground =
  | { readonly file: ProviderFile | undefined }
  | { readonly waits: string }
  /** Its nodes cannot run a provider of CRI-O's, and their kubelets would not start with one. */
  | { readonly unfit: string }
  | { readonly unreadable: string }

export interface Facts {
  readonly matchImages: readonly string[]
  /** By pool; empty where nothing is asked for, or nobody asks. */
  readonly grounds: ReadonlyMap<string, Ground>
}

/** An entry that nothing becomes of. */
export interface LeftOut {
  readonly image: string
  /** Who is asked about such images already; undefined where no kubelet could use the entry. */
  readonly other?: { readonly provider: string; readonly image: string }
}

export interface Plan {
  /** What pools get. */
  readonly specs: ReadonlyMap<string, MachineConfigSpec>
  /** Pools that keep what they have. */
  readonly held: readonly string[]
  readonly leftOut: readonly LeftOut[]
  readonly problems: readonly string[]
  readonly waits: readonly string[]
}

/** What all pools get. One that cannot be served does not hold up the others. */
export function decide({ matchImages, grounds }: Facts): Plan {
  const specs = new Map<string, MachineConfigSpec>()
  const held: string[] = []
  const leftOut: LeftOut[] = []
  const problems: string[] = []
  const waits: string[] = []
  for (const [pool, ground] of grounds) {
    if ('file' in ground) {
      const sifted = sift(matchImages, ground.file?.config ?? noProviders)
      leftOut.push(...sifted.leftOut)
      if (sifted.used.length > 0) specs.set(pool, specOf(sifted.used, ground.file))
    } else if ('unfit' in ground) problems.push(`pool ${pool}: ${ground.unfit}`)
    else {
      held.push(pool)
      if ('waits' in ground) waits.push(`pool ${pool} waits for ${ground.waits}`)
      else problems.push(`pool ${pool}: ${ground.unreadable}`)
    }
  }
  return { specs, held, leftOut, problems, waits }
}

/** Two providers for one image would be asked both, and nobody could say whose word counts. */
function sift(
  matchImages: readonly string[],
  { providers }: ProviderConfig,
): { readonly used: readonly string[]; readonly leftOut: readonly LeftOut[] } {
  const others = providers
    .filter(({ name }) => name !== crioProvider)
    .flatMap(({ name, matchImages: images }) => images.map((image) => ({ provider: name, image })))
  const used: string[] = []
  const leftOut: LeftOut[] = []
  for (const image of [...new Set(matchImages)].toSorted()) {
    const other = others.find((one) => overlaps(image, one.image))
    if (!isPattern(image)) leftOut.push({ image })
    else if (other) leftOut.push({ image, other })
    else used.push(image)
  }
  return { used, leftOut }
}

/** Where templates made no file, kubelets are told of ours by a drop-in. */
function specOf(used: readonly string[], file: ProviderFile | undefined): MachineConfigSpec {
  const { path, config } = file ?? { path: genericPath, config: noProviders }
  const text = providersText(withCrioProvider(config, used))
  const dropin = { path: nodePaths.credentialProviderDropin, text: dropinText }
  return filesSpec([{ path, text }, ...(file ? [] : [dropin])])
}

const genericPath = `${nodePaths.credentialProviders}/generic-credential-provider.yaml`
const programs = '/usr/libexec/kubelet-image-credential-provider-plugins'
const flags = `--image-credential-provider-bin-dir=${programs} --image-credential-provider-config=${genericPath}`
/** The kubelet's unit has this variable among its arguments. */
const dropinText = `[Service]
Environment="KUBELET_CRIO_IMAGE_CREDENTIAL_PROVIDER_FLAGS=${flags}"
`
