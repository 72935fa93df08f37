import type { MachineConfigSpec } from '../../api/kinds/machine-config.ts'
import { nodePaths } from '../../api/node-paths.ts'
import type { MachineConfig } from '../../api/kinds/resources.ts'
import { filesSpec } from '../generated/files-spec.ts'
import { isUnclaimed } from '../generated/machine-config.ts'
import type { CredentialProvidersFacts, ProviderFile } from './facts.ts'
import { isPattern, overlaps } from './match-images.ts'
import { machineConfigName } from './names.ts'
import type { ProviderConfig } from './provider-file.ts'
import { crioProvider, noProviders, providersText, withCrioProvider } from './provider-file.ts'

/** An entry of matchImages that is not applied. */
export interface SkippedImage {
  readonly image: string
  /** The provider that already covers such images; undefined if the entry is invalid. */
  readonly other?: { readonly provider: string; readonly image: string }
}

export interface CredentialProvidersPlan {
  /** By pool. */
  readonly specs: ReadonlyMap<string, MachineConfigSpec>
  /** Pools that keep their MachineConfig. */
  readonly held: readonly string[]
  /** The MachineConfigs to delete. */
  readonly stale: readonly Readonly<MachineConfig>[]
  readonly skipped: readonly SkippedImage[]
  readonly problems: readonly string[]
  readonly waits: readonly string[]
}

/** Decides each pool independently: a pool with a problem does not block others. */
export function decide(facts: CredentialProvidersFacts): CredentialProvidersPlan {
  const matchImages = facts.object?.spec?.matchImages ?? []
  const specs = new Map<string, MachineConfigSpec>()
  const held: string[] = []
  const skipped: SkippedImage[] = []
  const problems: string[] = []
  const waits: string[] = []
  for (const [pool, base] of facts.bases) {
    if ('file' in base) {
      const selected = selectImages(matchImages, base.file?.config ?? noProviders)
      skipped.push(...selected.skipped)
      if (selected.used.length > 0) specs.set(pool, specOf(selected.used, base.file))
    } else if ('unsupported' in base) problems.push(`pool ${pool}: ${base.unsupported}`)
    else {
      held.push(pool)
      if ('waitsFor' in base) waits.push(`pool ${pool} waits for ${base.waitsFor}`)
      else problems.push(`pool ${pool}: ${base.unreadable}`)
    }
  }
  const stale = staleConfigs(facts, [...specs.keys(), ...held])
  return { specs, held, stale, skipped, problems, waits }
}

/** Treating an unknown object as deleted would restart the kubelet of every node. */
function staleConfigs(
  { isLost, stored }: CredentialProvidersFacts,
  pools: readonly string[],
): Readonly<MachineConfig>[] {
  if (isLost) return []
  const kept = new Set(pools.map(machineConfigName))
  return [...stored.values()].filter((one) => !kept.has(one.metadata.name)).filter(isUnclaimed)
}

/** Skips images that another provider covers: the kubelet would call both, in undefined order of precedence. */
function selectImages(
  matchImages: readonly string[],
  { providers }: ProviderConfig,
): { readonly used: readonly string[]; readonly skipped: readonly SkippedImage[] } {
  const others = providers
    .filter(({ name }) => name !== crioProvider)
    .flatMap(({ name, matchImages: images }) => images.map((image) => ({ provider: name, image })))
  const used: string[] = []
  const skipped: SkippedImage[] = []
  for (const image of [...new Set(matchImages)].toSorted()) {
    const other = others.find((one) => overlaps(image, one.image))
    if (!isPattern(image)) skipped.push({ image })
    else if (other) skipped.push({ image, other })
    else used.push(image)
  }
  return { used, skipped }
}

/** If the templates have no file, a drop-in passes the path of the new file to the kubelet. */
function specOf(used: readonly string[], file: ProviderFile | undefined): MachineConfigSpec {
  const { path, config } = file ?? { path: genericPath, config: noProviders }
  const text = providersText(withCrioProvider(config, used))
  const dropin = { path: nodePaths.credentialProviderDropin, text: dropinText }
  return filesSpec([{ path, text }, ...(file ? [] : [dropin])])
}

const genericPath = `${nodePaths.credentialProviders}/generic-credential-provider.yaml`
const programs = '/usr/libexec/kubelet-image-credential-provider-plugins'
const flags = `--image-credential-provider-bin-dir=${programs} --image-credential-provider-config=${genericPath}`
/** The kubelet unit expands this variable in its arguments. */
const dropinText = `[Service]
Environment="KUBELET_CRIO_IMAGE_CREDENTIAL_PROVIDER_FLAGS=${flags}"
`
