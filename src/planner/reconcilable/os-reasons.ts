import { plain } from '@machinist/core/quoted'
import { annotations } from '../../api/annotations.ts'
import { kernelTypes } from '../../api/names.ts'
import type { OsDriverName } from '../model/os-capabilities.ts'
import { sourcesOf } from '../provenance/origins.ts'
import type { PlanInput } from '../model/plan-input.ts'
import { provenanceOf } from '../provenance/provenance.ts'
import type { OsPart } from '../differences/read-config.ts'
import type { ChangeKind, NodeFacts } from '../model/update-plan.ts'
import { listed } from '../model/wording.ts'

export interface OsReasonsInput extends Pick<PlanInput, 'desired' | 'provenance' | 'isLayered'> {
  readonly facts: Pick<NodeFacts, 'os' | 'bootedKernelArguments'>
}

/**
 * The OS settings of the config that the machine lacks and that its driver cannot apply. Compares with the machine, not with the
 * previous config: a manually configured boot loader is accepted, and an argument that was never applied remains a reason. `removed`
 * are arguments that the config no longer has.
 */
export function osReasons(
  desired: OsPart,
  input: OsReasonsInput,
  removed: readonly string[] = [],
): string[] {
  const { os } = input.facts
  const { why } = drivers[os.driver]
  const lacks: string[] = []
  if (!os.kernelType && desired.kernelType !== kernelTypes.default) {
    lacks.push(`kernelType ${plain(desired.kernelType)}${from('kernelType', [''], input)}`)
  }
  if (!os.extensions && desired.extensions.length > 0) {
    const names = listed(desired.extensions.map(plain), 8)
    lacks.push(`extensions ${names}${from('extensions', desired.extensions, input)}`)
  }
  if (!os.osImage && desired.osImage !== '' && isExplicit(input)) {
    lacks.push(`osImageURL ${plain(desired.osImage)}${from('osImage', [''], input)}`)
  }
  return [
    ...(os.kernelArguments ? [] : argumentReasons(desired, input, removed)),
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
    const what = `${kernelArgumentsText(missing)}${from('kernelArguments', missing, input)}`
    reasons.push(
      `${what} ${is(missing)} not in /proc/cmdline and cannot be applied: ${why}. Set ${it(missing)} ${setsArguments}, or remove ${it(missing)} from the MachineConfig`,
    )
  }
  if (left.length > 0) {
    reasons.push(
      `${kernelArgumentsText(left)} ${is(left)} in /proc/cmdline and cannot be removed: ${why}. Remove ${it(left)} ${setsArguments}`,
    )
  }
  return reasons
}

/** Every config contains the image of the release, also for machines that are not image-based. */
const isExplicit = ({ desired, isLayered = false }: OsReasonsInput): boolean =>
  isLayered || desired.metadata?.annotations?.[annotations.osImageURLOverridden] === 'true'

const kernelArgumentsText = (words: readonly string[]): string =>
  `kernel argument${words.length === 1 ? '' : 's'} ${listed(words.map(plain), 8)}`

interface DriverLimits {
  readonly why: string
  /** Where an administrator can change kernel arguments. */
  readonly setsArguments: string
}

const inBootLoader = 'in the boot loader and reboot'

const drivers: Readonly<Record<OsDriverName, DriverLimits>> = {
  packages: {
    why: 'this machine is not managed by rpm-ostree, bootc or ostree',
    setsArguments: inBootLoader,
  },
  bootc: {
    why: 'bootc can change only the image',
    setsArguments: 'in the image (/usr/lib/bootc/kargs.d)',
  },
  ostree: {
    why: 'ostree can change only the image and kernel arguments',
    setsArguments: inBootLoader,
  },
  'rpm-ostree': { why: 'rpm-ostree cannot change it', setsArguments: inBootLoader },
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
