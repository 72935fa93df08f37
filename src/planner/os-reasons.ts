import { annotations } from '../api/annotations.ts'
import { kernelTypes } from '../api/names.ts'
import { plain } from '@machinist/core/quoted'
import type { OsDriverName } from './os-capabilities.ts'
import { sourcesOf } from './origins.ts'
import type { PlanInput } from './plan-input.ts'
import { provenanceOf } from './provenance.ts'
import type { OsPart } from './read-config.ts'
import type { ChangeKind, NodeFacts } from './update-plan.ts'
import { listed } from './wording.ts'

export interface OsReasonsInput extends Pick<PlanInput, 'desired' | 'provenance' | 'isLayered'> {
  readonly facts: Pick<NodeFacts, 'os' | 'bootedKernelArguments'>
}

/**
 * What the config asks of the OS, the machine does not have, and no driver can bring. The machine itself is compared, not
 * the config before: a boot loader that was set up by hand is fine, and an argument that was never applied stays a reason.
 * `removed` are arguments that the config no longer has.
 */
export function osReasons(
  wanted: OsPart,
  input: OsReasonsInput,
  removed: readonly string[] = [],
): string[] {
  const { os } = input.facts
  const { why } = drivers[os.driver]
  const lacks: string[] = []
  if (!os.kernelType && wanted.kernelType !== kernelTypes.default) {
    lacks.push(`kernelType ${plain(wanted.kernelType)}${from('kernelType', [''], input)}`)
  }
  if (!os.extensions && wanted.extensions.length > 0) {
    const names = listed(wanted.extensions.map(plain), 8)
    lacks.push(`extensions ${names}${from('extensions', wanted.extensions, input)}`)
  }
  if (!os.osImage && wanted.osImage !== '' && isExplicit(input)) {
    lacks.push(`osImageURL ${plain(wanted.osImage)}${from('osImage', [''], input)}`)
  }
  return [
    ...(os.kernelArguments ? [] : argumentReasons(wanted, input, removed)),
    ...lacks.map((what) => `${what} cannot be applied: ${why}. Remove it from the MachineConfig`),
  ]
}

function argumentReasons(
  { kernelArguments }: OsPart,
  input: OsReasonsInput,
  removed: readonly string[],
): string[] {
  const { os, bootedKernelArguments = [] } = input.facts
  const { why, setsArguments } = drivers[os.driver]
  const running = new Set(bootedKernelArguments)
  const missing = kernelArguments.filter((word) => !running.has(word))
  const left = removed.filter((word) => running.has(word) && !kernelArguments.includes(word))
  const is = ({ length }: readonly string[]): string => (length === 1 ? 'is' : 'are')
  const it = ({ length }: readonly string[]): string => (length === 1 ? 'it' : 'them')
  const reasons: string[] = []
  if (missing.length > 0) {
    const what = `${argumentsText(missing)}${from('kernelArguments', missing, input)}`
    reasons.push(
      `${what} ${is(missing)} not in /proc/cmdline and cannot be applied: ${why}. Set ${it(missing)} ${setsArguments}, or remove ${it(missing)} from the MachineConfig`,
    )
  }
  if (left.length > 0) {
    reasons.push(
      `${argumentsText(left)} ${is(left)} in /proc/cmdline and cannot be removed: ${why}. Remove ${it(left)} ${setsArguments}`,
    )
  }
  return reasons
}

/** The image of the release comes with every config, also with those of machines that are not made of images. */
const isExplicit = ({ desired, isLayered = false }: OsReasonsInput): boolean =>
  isLayered || desired.metadata?.annotations?.[annotations.osImageURLOverridden] === 'true'

const argumentsText = (words: readonly string[]): string =>
  `kernel argument${words.length === 1 ? '' : 's'} ${listed(words.map(plain), 8)}`

interface DriverLimits {
  readonly why: string
  /** Where an administrator changes kernel arguments instead. */
  readonly setsArguments: string
}

const byHand = 'in the boot loader and reboot'

const drivers: Readonly<Record<OsDriverName, DriverLimits>> = {
  packages: {
    why: 'none of rpm-ostree, bootc and ostree runs this machine',
    setsArguments: byHand,
  },
  bootc: {
    why: 'bootc changes the image only',
    setsArguments: 'in the image (/usr/lib/bootc/kargs.d)',
  },
  ostree: { why: 'ostree changes image and kernel arguments only', setsArguments: byHand },
  'rpm-ostree': { why: 'rpm-ostree does not change it', setsArguments: byHand },
}

function from(
  kind: ChangeKind,
  entries: readonly string[],
  { desired, provenance = provenanceOf(desired) }: OsReasonsInput,
): string {
  const own = desired.metadata?.name
  const names = new Set(
    entries.flatMap((entry) => {
      const sources = sourcesOf(kind, entry, provenance)
      return sources.length > 0 || own === undefined ? sources : [own]
    }),
  )
  return names.size === 0 ? '' : ` (from MachineConfig ${listed([...names], 8)})`
}
