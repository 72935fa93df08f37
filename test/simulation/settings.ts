import { encodeDataUrl } from '@machinist/core/encoding/data-url'
import type { MachineConfig } from '../../src/api/kinds/resources.ts'

/** A file as a user sees it. */
export interface FileState {
  readonly content: string
  readonly mode: number
}

/** The settings of one MachineConfig of a simulated user. */
export interface ConfigSettings {
  readonly files: ReadonlyMap<string, FileState>
  /** The content of the one simulated unit; it is enabled. */
  readonly unit?: string
  readonly kernelArguments?: readonly string[]
  /** A setting that a node cannot change. */
  readonly fips?: true
  /** The config cannot be rendered, so no node gets it. */
  readonly broken?: true
}

/** The state of a machine that configs determine. */
export interface MachineState {
  readonly files: ReadonlyMap<string, FileState>
  /** Original files, which are restored when no config manages them any more. */
  readonly originals: ReadonlyMap<string, FileState>
  readonly unit: string | undefined
  readonly isEnabled: boolean
  readonly kernelArguments: readonly string[]
  /** The content of `crioPath` that the container runtime runs with. */
  readonly loaded: string | undefined
}

export const simUnit = 'sim.service'
/** The container runtime reads it on reload; content that begins with `bad` makes it unhealthy. */
export const crioPath = '/etc/containers/policy.json'
/** Applied without any restart. */
const quietPath = '/var/lib/kubelet/config.json'

/** The files that simulated users configure, with their permissions. All but the first two require a reboot. */
export const fileModes: ReadonlyMap<string, number> = new Map([
  [quietPath, 0o600],
  [crioPath, 0o644],
  ['/etc/motd', 0o644],
  ['/etc/sim/deep/nested.conf', 0o640],
])
export const managedPaths: ReadonlySet<string> = new Set(fileModes.keys())

/** The files of a machine before any config. */
export const originals: ReadonlyMap<string, FileState> = new Map([
  ['/etc/motd', { content: 'as installed', mode: 0o644 }],
  [crioPath, { content: 'as installed', mode: 0o600 }],
])

/** Merges the settings of a pool; later files win. */
export function mergeSettings(all: readonly ConfigSettings[]): ConfigSettings {
  const kernelArguments = all.flatMap((each) => each.kernelArguments ?? [])
  const unit = all.findLast((each) => each.unit !== undefined)?.unit
  return {
    files: new Map(all.flatMap((each) => [...each.files])),
    ...(unit !== undefined && { unit }),
    ...(kernelArguments.length > 0 && { kernelArguments }),
    ...(all.some((each) => each.fips) && { fips: true as const }),
  }
}

export function specOf(settings: ConfigSettings): NonNullable<MachineConfig['spec']> {
  const { files, unit, kernelArguments, fips, broken } = settings
  const stored = Array.from(files, ([path, { content, mode }]) => ({
    path,
    mode,
    overwrite: true,
    contents: { source: encodeDataUrl(content) },
  }))
  return {
    config: {
      ignition: { version: broken ? '99.0.0' : '3.4.0' },
      ...(stored.length > 0 && { storage: { files: stored } }),
      ...(unit !== undefined && {
        systemd: { units: [{ name: simUnit, enabled: true, contents: unit }] },
      }),
    },
    ...(kernelArguments && { kernelArguments: [...kernelArguments] }),
    ...(fips && { fips: true }),
  }
}

/** The settings of a rendered config, read without the code under test. */
export function settingsIn({ spec }: MachineConfig): ConfigSettings {
  const { storage, systemd } = (spec?.config ?? {}) as {
    storage?: { files?: { path: string; mode?: number; contents?: { source?: string } }[] }
    systemd?: { units?: { name: string; contents?: string }[] }
  }
  const files = (storage?.files ?? []).map(({ path, mode = 0o644, contents }) => {
    const source = contents?.source ?? 'data:,'
    const content = decodeURIComponent(source.slice(source.indexOf(',') + 1))
    return [path, { content, mode }] as const
  })
  const unit = systemd?.units?.find(({ name }) => name === simUnit)?.contents
  const kernelArguments = spec?.kernelArguments ?? []
  return {
    files: new Map(files),
    ...(unit !== undefined && { unit }),
    ...(kernelArguments.length > 0 && { kernelArguments: [...kernelArguments] }),
    ...(spec?.fips && { fips: true as const }),
  }
}

/** Differences between a machine and the desired settings; empty if there are none. */
export function settingsProblems(state: MachineState, desired: ConfigSettings): string[] {
  const problems: string[] = []
  for (const path of managedPaths) {
    const found = state.files.get(path)
    const should = desired.files.get(path) ?? state.originals.get(path)
    if (shown(found) !== shown(should)) {
      problems.push(`${path} is ${shown(found)} and should be ${shown(should)}`)
    }
  }
  if (state.unit !== desired.unit) problems.push(`${simUnit} is ${state.unit}, not ${desired.unit}`)
  if (state.isEnabled !== (desired.unit !== undefined)) {
    problems.push(`${simUnit} is ${state.isEnabled ? '' : 'not '}enabled`)
  }
  const [is, should] = [state.kernelArguments, desired.kernelArguments ?? []].map((words) =>
    [...words].sort().join(' '),
  )
  if (is !== should) problems.push(`kernel arguments are [${is}], not [${should}]`)
  return problems
}

const shown = (file: FileState | undefined): string =>
  file ? `"${file.content}" ${file.mode.toString(8)}` : 'absent'
