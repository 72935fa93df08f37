import { annotations } from '../../api/annotations.ts'
import type { MachineConfig, MachineConfigPool } from '../../api/resources.ts'

/** What pools must have come to before the cluster counts as being of this release. */
export interface Release {
  /** Of the cluster: `4.16.0`. */
  readonly version: string
  /** Which build of the controllers makes its MachineConfigs. */
  readonly build: string
  readonly osImageURL: string
}

export interface ConfigurationFacts {
  readonly machineConfig: (name: string) => Readonly<MachineConfig> | undefined
  readonly release: Release
}

/** Why a pool's configuration does not count as one of this release: the first thing that is not as it has to be. */
export function configurationProblem(
  pool: Readonly<MachineConfigPool>,
  { release, machineConfig }: ConfigurationFacts,
): string | undefined {
  const { spec, status } = pool
  if (!spec.configuration?.name) return 'it has no configuration yet'
  const name = status?.configuration?.name
  if (!name) return 'no configuration has reached all of its nodes yet'
  const source = status.configuration?.source ?? []
  if (source.length === 0) return `what ${name} was made of is not known`
  const rendered = machineConfig(name)
  if (!rendered) return `MachineConfig ${name} does not exist`
  const names = source.flatMap((one) => one.name ?? [])
  return (
    buildProblem(rendered, release.build, true) ??
    firstOf(names, (each) => {
      const found = machineConfig(each)
      if (!found) return `MachineConfig ${each}, which ${name} was made of, does not exist`
      return buildProblem(found, release.build, false)
    }) ??
    imageProblem(rendered, release.osImageURL) ??
    versionProblem(rendered, release.version)
  )
}

function firstOf<T>(
  all: readonly T[],
  problem: (one: T) => string | undefined,
): string | undefined {
  for (const one of all) {
    const found = problem(one)
    if (found !== undefined) return found
  }
  return undefined
}

/** What users wrote says nothing about builds; what was rendered must. */
function buildProblem(
  { metadata }: Readonly<MachineConfig>,
  build: string,
  mustTell: boolean,
): string | undefined {
  const told = metadata.annotations?.[annotations.generatedByController]
  if (told === undefined && !mustTell) return undefined
  if (told === build) return undefined
  const by =
    told === undefined
      ? 'does not say which controller build made it'
      : `is by controller build ${told}`
  return `MachineConfig ${metadata.name} ${by}, and this is ${build}`
}

function imageProblem(
  { metadata, spec }: Readonly<MachineConfig>,
  wanted: string,
): string | undefined {
  const found = spec?.osImageURL ?? ''
  if (found === wanted) return undefined
  if (metadata.annotations?.[annotations.osImageURLOverridden] !== undefined) return undefined
  return `MachineConfig ${metadata.name} has the OS image ${found || 'none'}, and that of the release is ${wanted || 'none'}`
}

function versionProblem({ metadata }: Readonly<MachineConfig>, wanted: string): string | undefined {
  const found = metadata.annotations?.[annotations.releaseImageVersion]
  if (found === wanted) return undefined
  return `MachineConfig ${metadata.name} is of ${found === undefined ? 'no release' : `release ${found}`}, and this is ${wanted}`
}
