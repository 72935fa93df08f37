import { messageOf } from '@machinist/core/errors'
import { dropinPath, unitPath } from '../../api/node-paths.ts'
import type { MachineConfig } from '../../api/kinds/resources.ts'
import type { ReadConfig } from '../../planner/differences/read-config.ts'
import { readConfig } from '../../planner/differences/read-config.ts'
import type { UnitState } from '../../planner/differences/units.ts'
import { dropinsOf, unitsOf } from '../../planner/differences/units.ts'
import type { Host, HostFiles } from '../host/host.ts'
import { imageName } from '../host/image-name.ts'
import type { SharedFiles } from './shared-files.ts'
import type { Difference } from './difference.ts'
import type { SshKeysLocation } from './expected-files.ts'
import { expectedFiles } from './expected-files.ts'
import { compareFile } from './compare-file.ts'

export interface CompareOptions {
  /** Compare also the OS image and the kernel arguments of the running OS. */
  readonly os: boolean
  /** Files that another component manages. */
  readonly except?: Pick<ReadonlySet<string>, 'has'> | undefined
  /** Files that another component may have written. */
  readonly shared?: SharedFiles
  /** Compare also the SSH keys at this location. */
  readonly keys?: SshKeysLocation
}

/** All differences between a machine and a config. A path that cannot be read is a difference, too. */
export async function findDifferences(
  host: Host,
  machineConfig: MachineConfig,
  { os, except, shared, keys }: CompareOptions,
): Promise<Difference[]> {
  const { config, problems } = readConfig(machineConfig, 'new')
  if (problems.length > 0) {
    return problems.map((what) => ({ kind: 'file', at: machineConfig.metadata.name, what }))
  }
  const found: Difference[] = []
  for await (const expected of expectedFiles(host, config, keys)) {
    if ('what' in expected) found.push(expected)
    else if (!except?.has(expected.path)) {
      const { kind, path, content } = expected
      const whats = await compareFile(host.files, path, expected)
      // A file that an update would keep is not a difference.
      if (whats.length > 0 && content && (await isKept(path, content, shared))) continue
      found.push(...whats.map((what) => ({ kind, at: path, what })))
    }
  }
  for (const [name, state] of unitsOf(config.ignition)) {
    const at = unitPath(name)
    const what = await orUnreadable(() => unitProblem(host, name, state))
    if (what !== undefined) found.push({ kind: 'unit', at, what })
  }
  found.push(...(await emptyDropins(host.files, config)))
  if (os) found.push(...(await osDifferences(host, config)))
  return found
}

/** Ignores read errors: `compareFile` reports them. */
async function isKept(
  path: string,
  content: () => Uint8Array,
  shared: SharedFiles | undefined,
): Promise<boolean> {
  try {
    return (await shared?.keepsCurrent(path, content)) ?? false
  } catch {
    return false
  }
}

async function unitProblem(
  { files, units }: Host,
  name: string,
  { file, enabled }: UnitState,
): Promise<string | undefined> {
  if (file === 'masked') {
    const entry = await files.stat(unitPath(name))
    const masked = entry?.type === 'symlink' && entry.target === '/dev/null'
    return masked ? undefined : 'is not masked, expected masked'
  }
  if (enabled === undefined) return undefined
  const current = await units.enablement(name)
  const wrong = enabled ? current === 'disabled' || current === 'masked' : current === 'enabled'
  return wrong ? `is ${current}, expected ${enabled ? 'enabled' : 'disabled'}` : undefined
}

/** A drop-in without contents may be absent or empty. */
async function emptyDropins(files: HostFiles, { ignition }: ReadConfig): Promise<Difference[]> {
  const written = dropinsOf(ignition)
  const found: Difference[] = []
  for (const { name: unit, dropins = [] } of ignition.systemd?.units ?? []) {
    for (const { name: dropin } of dropins) {
      if (written.has(`${unit}/${dropin}`)) continue
      const at = dropinPath(unit, dropin)
      const what = await orUnreadable(async () => {
        const entry = await files.stat(at)
        const empty = entry === undefined || (entry.type === 'file' && entry.size === 0)
        return empty ? undefined : 'has content, expected none'
      })
      if (what !== undefined) found.push({ kind: 'dropin', at, what })
    }
  }
  return found
}

async function orUnreadable(read: () => Promise<string | undefined>): Promise<string | undefined> {
  try {
    return await read()
  } catch (error) {
    return `cannot be read: ${messageOf(error)}`
  }
}

async function osDifferences(host: Host, config: ReadConfig): Promise<Difference[]> {
  try {
    return await compareOs(host, config)
  } catch (error) {
    const what = `cannot be read: ${messageOf(error)}`
    return [{ kind: 'osImage', at: 'the operating system', what }]
  }
}

async function compareOs({ os }: Host, config: ReadConfig): Promise<Difference[]> {
  // Parts that the daemon cannot change are reported as Unreconcilable, not as drift.
  const { changes } = await os.facts()
  const { booted } = await os.state()
  const found: Difference[] = []
  if (
    changes.osImage &&
    config.osImage !== '' &&
    imageName(booted.image ?? '') !== imageName(config.osImage)
  ) {
    const what = `expected target osImageURL ${config.osImage}, have ${booted.image ?? 'none'}`
    found.push({ kind: 'osImage', at: 'the operating system', what })
  }
  const left = [...booted.kernelArguments]
  const missing = config.kernelArguments.filter((word) => !takeWord(left, word))
  if (changes.kernelArguments && missing.length > 0) {
    const what = `missing expected kernel arguments: ${missing.join(' ')}`
    found.push({ kind: 'kernelArguments', at: 'the kernel', what })
  }
  return found
}

function takeWord(words: string[], word: string): boolean {
  const at = words.indexOf(word)
  if (at !== -1) words.splice(at, 1)
  return at !== -1
}
