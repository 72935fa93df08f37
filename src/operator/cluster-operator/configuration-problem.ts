import { annotations } from '../../api/annotations.ts'
import type { MachineConfig, MachineConfigPool } from '../../api/kinds/resources.ts'

/** The state that pools must reach for this release. */
export interface Release {
  /** The version of the cluster: `4.16.0`. */
  readonly version: string
  /** The controller build that generates its MachineConfigs. */
  readonly build: string
  readonly osImageURL: string
}

export interface ConfigurationFacts {
  readonly machineConfig: (name: string) => Readonly<MachineConfig> | undefined
  readonly release: Release
}

/** The first reason why the configuration of a pool is not of this release. */
export function configurationProblem(
  pool: Readonly<MachineConfigPool>,
  { release, machineConfig }: ConfigurationFacts,
): string | undefined {
  const { spec, status } = pool
  if (!spec.configuration?.name) return 'no configuration is rendered yet'
  const name = status?.configuration?.name
  if (!name) return 'no configuration is on all of its nodes yet'
  const source = status.configuration?.source ?? []
  if (source.length === 0) return `the sources of ${name} are unknown`
  const rendered = machineConfig(name)
  if (!rendered) return `MachineConfig ${name} does not exist`
  const names = source.flatMap((one) => one.name ?? [])
  return (
    buildProblem(rendered, release.build, true) ??
    firstOf(names, (each) => {
      const found = machineConfig(each)
      if (!found) return `MachineConfig ${each}, a source of ${name}, does not exist`
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

/** MachineConfigs of users have no build; rendered ones must have it. */
function buildProblem(
  { metadata }: Readonly<MachineConfig>,
  build: string,
  isRequired: boolean,
): string | undefined {
  const found = metadata.annotations?.[annotations.generatedByController]
  if (found === undefined && !isRequired) return undefined
  if (found === build) return undefined
  const by = found === undefined ? 'has no controller build' : `is of controller build ${found}`
  return `MachineConfig ${metadata.name} ${by}, expected ${build}`
}

function imageProblem(
  { metadata, spec }: Readonly<MachineConfig>,
  expected: string,
): string | undefined {
  const found = spec?.osImageURL ?? ''
  if (found === expected) return undefined
  if (metadata.annotations?.[annotations.osImageURLOverridden] !== undefined) return undefined
  return `MachineConfig ${metadata.name} has OS image ${found || 'none'}, expected ${expected || 'none'}`
}

function versionProblem(
  { metadata }: Readonly<MachineConfig>,
  expected: string,
): string | undefined {
  const found = metadata.annotations?.[annotations.releaseImageVersion]
  if (found === expected) return undefined
  return `MachineConfig ${metadata.name} is of ${found === undefined ? 'no release' : `release ${found}`}, expected ${expected}`
}
