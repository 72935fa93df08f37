import type { Config, Storage } from '@machinist/ignition/spec/config'
import { sameConfig } from '@machinist/ignition/equality'
import { kernelTypes } from '../../api/names.ts'
import type { Release } from '../../api/validation/extensions.ts'
import { validateMerged } from '../../api/validation/machine-config.ts'
import { contentReasons, fileReasons } from '../differences/contents.ts'
import type { Differences } from '../differences/differences.ts'
import { filesOf } from '../differences/files.ts'
import type { PlanInput, PlanRules, StorageOverride } from '../model/plan-input.ts'
import type { ReadConfig } from '../differences/read-config.ts'
import { byText } from '../model/wording.ts'
import { osReasons } from './os-reasons.ts'
import { hostileReasons } from './hostile.ts'
import { userReasons } from './reconcilable-users.ts'

/** All reasons why the change cannot be applied to a running node, in the order of the sections of the config. */
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

/** Reasons that do not depend on the Ignition config. */
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
  // 4.12 checks only the node, not its config.
  const fipsChanges = fips !== undefined && releaseOf(rules) !== '4.12'
  if (!fipsChanges && (facts.fips === undefined || facts.fips === after.fips)) return []
  const [was, desired] = [facts.fips ?? before.fips, after.fips].map((on) => (on ? 'on' : 'off'))
  return [
    `detected change to FIPS flag (${was} → ${desired}); refusing to modify FIPS on a running cluster`,
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
    reasons.push(
      `kernelType 64k-pages is available only on arm64; this node is ${facts.architecture}`,
    )
  }
  return reasons
}

const releaseOf = (rules: PlanRules): Release => (typeof rules === 'string' ? rules : 'main')

function kernelArgumentReasons(old: Config, now: Config, release: Release): string[] {
  // Spec 3.2, the newest that 4.12 supports, has no such section.
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
  { section: 'disks', override: 'Disks', why: 'disks are partitioned only on first boot' },
  {
    section: 'filesystems',
    override: 'FileSystems',
    why: 'file systems are created only on first boot',
  },
  { section: 'raid', override: 'Raid', why: 'arrays are created only on first boot' },
  { section: 'directories', why: 'directories are created only on first boot' },
  { section: 'links', why: 'links are created only on first boot' },
]

function storageReasons(old: Config, now: Config, overrides: readonly StorageOverride[]): string[] {
  return storageRules
    .filter(({ section, override }) => {
      if (override && overrides.includes(override)) return false
      // Removing all links is accepted; they are kept on disk.
      if (section === 'links' && !now.storage?.links?.length) return false
      return !sameSection(old, now, section)
    })
    .map(({ section, why }) => `ignition ${section} section contains changes: ${why}`)
}

/** Whether a storage section is equal, independent of the order of its entries. */
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
