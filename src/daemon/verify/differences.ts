import { dropinPath, unitPath } from '../../api/node-paths.ts'
import type { MachineConfig } from '../../api/resources.ts'
import { messageOf } from '@machinist/core/errors'
import type { ReadConfig } from '../../planner/read-config.ts'
import { readConfig } from '../../planner/read-config.ts'
import type { UnitState } from '../../planner/units.ts'
import { dropinsOf, unitsOf } from '../../planner/units.ts'
import type { Host, HostFiles } from '../host/host.ts'
import { imageName } from '../host/image-name.ts'
import type { KeptFiles } from '../apply/kept-files.ts'
import type { Difference } from './difference.ts'
import type { KeysPlace } from './expected-files.ts'
import { expectedFiles } from './expected-files.ts'
import { fileProblems } from './file-problems.ts'

export interface Compared {
  /** Also the OS image and the kernel arguments of what runs. */
  readonly os: boolean
  /** Files that others keep up to date. */
  readonly except?: Pick<ReadonlySet<string>, 'has'> | undefined
  /** Files that may have come from others, too. */
  readonly kept?: KeptFiles
  /** Also the SSH keys, which are here. */
  readonly keys?: KeysPlace
}

/** Everything about a machine that is not as a config says, all of it at once. What cannot be read is a difference, too. */
export async function differences(
  host: Host,
  machineConfig: MachineConfig,
  { os, except, kept, keys }: Compared,
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
      const whats = await fileProblems(host.files, path, expected)
      // What an update would leave is no difference.
      if (whats.length > 0 && content && (await isKept(path, content, kept))) continue
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

/** What cannot be read is told by others. */
async function isKept(
  path: string,
  content: () => Uint8Array,
  kept: KeptFiles | undefined,
): Promise<boolean> {
  try {
    return (await kept?.keeps(path, content)) ?? false
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
    const entry = await files.look(unitPath(name))
    const masked = entry?.type === 'symlink' && entry.target === '/dev/null'
    return masked ? undefined : 'is not masked, as it should be'
  }
  if (enabled === undefined) return undefined
  const now = await units.enablement(name)
  const wrong = enabled ? now === 'disabled' || now === 'masked' : now === 'enabled'
  return wrong ? `is ${now}, expected ${enabled ? 'enabled' : 'disabled'}` : undefined
}

/** A drop-in without contents may be absent, or as empty as the config says. */
async function emptyDropins(files: HostFiles, { ignition }: ReadConfig): Promise<Difference[]> {
  const written = dropinsOf(ignition)
  const found: Difference[] = []
  for (const { name: unit, dropins = [] } of ignition.systemd?.units ?? []) {
    for (const { name: dropin } of dropins) {
      if (written.has(`${unit}/${dropin}`)) continue
      const at = dropinPath(unit, dropin)
      const what = await orUnreadable(async () => {
        const entry = await files.look(at)
        const empty = entry === undefined || (entry.type === 'file' && entry.size === 0)
        return empty ? undefined : 'has content, expected none'
      })
      if (what !== undefined) found.push({ kind: 'dropin', at, what })
    }
  }
  return found
}

async function orUnreadable(look: () => Promise<string | undefined>): Promise<string | undefined> {
  try {
    return await look()
  } catch (error) {
    return `cannot be read: ${messageOf(error)}`
  }
}

async function osDifferences(host: Host, config: ReadConfig): Promise<Difference[]> {
  try {
    return await differencesOfOs(host, config)
  } catch (error) {
    const what = `cannot be asked: ${messageOf(error)}`
    return [{ kind: 'osImage', at: 'the operating system', what }]
  }
}

async function differencesOfOs({ os }: Host, config: ReadConfig): Promise<Difference[]> {
  // What cannot be changed is reported as Unreconcilable, not as drift.
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
  const missing = config.kernelArguments.filter((word) => !took(left, word))
  if (changes.kernelArguments && missing.length > 0) {
    const what = `missing expected kernel arguments: ${missing.join(' ')}`
    found.push({ kind: 'kernelArguments', at: 'the kernel', what })
  }
  return found
}

function took(words: string[], word: string): boolean {
  const at = words.indexOf(word)
  if (at !== -1) words.splice(at, 1)
  return at !== -1
}
