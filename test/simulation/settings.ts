import { encodeDataUrl } from '@machinist/core/data-url'
import type { MachineConfig } from '../../src/api/resources.ts'

/** A file as a user sees it. */
export interface FileState {
  readonly content: string
  readonly mode: number
}

/** What one MachineConfig of a simulated user asks for. */
export interface Settings {
  readonly files: ReadonlyMap<string, FileState>
  /** The content of the one unit that is simulated; it is enabled. */
  readonly unit?: string
  readonly kernelArguments?: readonly string[]
  /** What a node cannot change. */
  readonly fips?: true
  /** No node ever sees it: it cannot be rendered. */
  readonly broken?: true
}

/** What a machine is like, as far as configs decide about it. */
export interface MachineSays {
  readonly files: ReadonlyMap<string, FileState>
  /** What it had where no config has ever been: that comes back when a config lets go. */
  readonly originals: ReadonlyMap<string, FileState>
  readonly unit: string | undefined
  readonly isEnabled: boolean
  readonly kernelArguments: readonly string[]
  /** The content of `crioPath` that the container runtime runs with. */
  readonly loaded: string | undefined
}

export const simUnit = 'sim.service'
/** Read by the container runtime when it is reloaded; content that begins with `bad` it does not survive. */
export const crioPath = '/etc/containers/policy.json'
/** Taken over without a restart of anything. */
const quietPath = '/var/lib/kubelet/config.json'

/** The files that simulated users configure, and with which permissions. All but the first two want a reboot. */
export const fileModes: ReadonlyMap<string, number> = new Map([
  [quietPath, 0o600],
  [crioPath, 0o644],
  ['/etc/motd', 0o644],
  ['/etc/sim/deep/nested.conf', 0o640],
])
export const managedPaths: ReadonlySet<string> = new Set(fileModes.keys())

/** What machines have before any config. */
export const originals: ReadonlyMap<string, FileState> = new Map([
  ['/etc/motd', { content: 'as installed', mode: 0o644 }],
  [crioPath, { content: 'as installed', mode: 0o600 }],
])

/** Later ones win, file by file: how a user understands several MachineConfigs of one pool. */
export function together(all: readonly Settings[]): Settings {
  const kernelArguments = all.flatMap((each) => each.kernelArguments ?? [])
  const unit = all.findLast((each) => each.unit !== undefined)?.unit
  return {
    files: new Map(all.flatMap((each) => [...each.files])),
    ...(unit !== undefined && { unit }),
    ...(kernelArguments.length > 0 && { kernelArguments }),
    ...(all.some((each) => each.fips) && { fips: true as const }),
  }
}

export function specOf(settings: Settings): NonNullable<MachineConfig['spec']> {
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

/** What a rendered config asks for, read without any of the code that is tested. */
export function settingsIn({ spec }: MachineConfig): Settings {
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

/** In words, what of a machine is not as these settings want it; nothing when all is. */
export function unlike(says: MachineSays, wanted: Settings): string[] {
  const problems: string[] = []
  for (const path of managedPaths) {
    const found = says.files.get(path)
    const should = wanted.files.get(path) ?? says.originals.get(path)
    if (shown(found) !== shown(should)) {
      problems.push(`${path} is ${shown(found)} and should be ${shown(should)}`)
    }
  }
  if (says.unit !== wanted.unit) problems.push(`${simUnit} is ${says.unit}, not ${wanted.unit}`)
  if (says.isEnabled !== (wanted.unit !== undefined)) {
    problems.push(`${simUnit} is ${says.isEnabled ? '' : 'not '}enabled`)
  }
  const [is, should] = [says.kernelArguments, wanted.kernelArguments ?? []].map((words) =>
    [...words].sort().join(' '),
  )
  if (is !== should) problems.push(`kernel arguments are [${is}], not [${should}]`)
  return problems
}

const shown = (file: FileState | undefined): string =>
  file ? `"${file.content}" ${file.mode.toString(8)}` : 'absent'
