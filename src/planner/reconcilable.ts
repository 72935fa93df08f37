import { kernelTypes } from '../api/names.ts'
import type { Release } from '../api/validation/extensions.ts'
import { validateMerged } from '../api/validation/machine-config.ts'
import type { Config, Storage } from '@machinist/ignition/config'
import { sameConfig } from '@machinist/ignition/equality'
import { contentReasons, fileReasons } from './contents.ts'
import type { Differences } from './differences.ts'
import { filesOf } from './files.ts'
import { osReasons } from './os-reasons.ts'
import { hostileReasons } from './hostile.ts'
import type { PlanInput, Rules, StorageOverride } from './plan-input.ts'
import type { ReadConfig } from './read-config.ts'
import { userReasons } from './reconcilable-users.ts'
import { byText } from './wording.ts'

/** Why a running node cannot go from one config to the other: every reason, in the order of the config's sections. */
export function reasonsAgainst(
  before: ReadConfig,
  after: ReadConfig,
  differences: Differences,
  input: PlanInput,
): string[] {
  const release = releaseOf(input.rules)
  const [old, now] = [before.ignition, after.ignition]
  const [oldFiles, newFiles] = [filesOf(old), filesOf(now)]
  return [
    ...hostileReasons(after),
    ...userReasons(old, now, release),
    ...kernelArgumentReasons(old, now, release),
    ...storageReasons(old, now, input.overrides ?? []),
    ...fileReasons(newFiles),
    ...contentReasons(oldFiles, newFiles, input.facts.forced),
    ...machineReasons(before, after, differences, input),
  ]
}

/** What holds whatever the Ignition part says. */
export function machineReasons(
  before: ReadConfig,
  after: ReadConfig,
  differences: MachineDifferences,
  input: PlanInput,
): string[] {
  const { osLimits = 'refuse' } = input
  return [
    ...fipsReasons(before, after, differences, input),
    ...kernelReasons(after, differences, input),
    ...(osLimits === 'refuse' ? osReasons(after, input, differences.kernelArguments?.remove) : []),
  ]
}

type MachineDifferences = Pick<
  Differences,
  'fips' | 'kernelType' | 'extensions' | 'kernelArguments'
>

function fipsReasons(
  before: ReadConfig,
  after: ReadConfig,
  { fips }: MachineDifferences,
  { rules, facts }: PlanInput,
): string[] {
  // 4.12 asks the node only, not what its config said.
  const fipsChanges = fips !== undefined && releaseOf(rules) !== '4.12'
  if (!fipsChanges && (facts.fips === undefined || facts.fips === after.fips)) return []
  const [was, wanted] = [facts.fips ?? before.fips, after.fips].map((on) => (on ? 'on' : 'off'))
  return [
    `detected change to FIPS flag (${was} → ${wanted}); refusing to modify FIPS on a running cluster`,
  ]
}

function kernelReasons(
  after: ReadConfig,
  { kernelType, extensions }: MachineDifferences,
  { rules, facts }: PlanInput,
): string[] {
  const reasons: string[] = []
  if (kernelType || extensions) {
    const spec = { kernelType: after.kernelType, extensions: [...after.extensions] }
    reasons.push(...validateMerged(spec, releaseOf(rules)).map(({ message }) => message))
  }
  const has64k = /^(arm64|aarch64|)$/.test(facts.architecture)
  if (kernelType?.to === kernelTypes.pages64k && facts.os.kernelType && !has64k) {
    reasons.push(`kernelType 64k-pages exists on arm64 only; this node is ${facts.architecture}`)
  }
  return reasons
}

const releaseOf = (rules: Rules): Release => (typeof rules === 'string' ? rules : 'main')

function kernelArgumentReasons(old: Config, now: Config, release: Release): string[] {
  // Spec 3.2, the newest that 4.12 knows, has no such section.
  if (release === '4.12') return []
  const section = ({ kernelArguments }: Config): Config => ({
    ignition,
    ...(kernelArguments && { kernelArguments }),
  })
  if (sameConfig(section(old), section(now))) return []
  return [
    'ignition kargs section contains changes; use spec.kernelArguments of a MachineConfig instead',
  ]
}

interface StorageRule {
  readonly section: keyof Storage
  readonly override?: StorageOverride
  readonly why: string
}

const storageRules: readonly StorageRule[] = [
  { section: 'disks', override: 'Disks', why: 'disks are partitioned at first boot only' },
  {
    section: 'filesystems',
    override: 'FileSystems',
    why: 'file systems are made at first boot only',
  },
  { section: 'raid', override: 'Raid', why: 'arrays are made at first boot only' },
  { section: 'directories', why: 'directories are made at first boot only' },
  { section: 'links', why: 'links are made at first boot only' },
]

function storageReasons(old: Config, now: Config, overrides: readonly StorageOverride[]): string[] {
  return storageRules
    .filter(({ section, override }) => {
      if (override && overrides.includes(override)) return false
      // That all links are gone is let through; they stay on the disk.
      if (section === 'links' && !now.storage?.links?.length) return false
      return !sameSection(old, now, section)
    })
    .map(({ section, why }) => `ignition ${section} section contains changes: ${why}`)
}

/** Whether a storage section says the same; the order of its entries does not count. */
export function sameSection(old: Config, now: Config, section: keyof Storage): boolean {
  const only = ({ storage }: Config): Config => ({
    ignition,
    storage: { [section]: [...(storage?.[section] ?? [])].sort((a, b) => byText(key(a), key(b))) },
  })
  return sameConfig(only(old), only(now))
}

const ignition = { version: '3.5.0' }

function key(entry: NonNullable<Storage[keyof Storage]>[number]): string {
  if ('path' in entry && !('format' in entry)) return entry.path ?? ''
  return 'device' in entry && !('name' in entry) ? (entry.device ?? '') : nameOf(entry)
}

const nameOf = (entry: object): string => ('name' in entry ? String(entry.name) : '')
