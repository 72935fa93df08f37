import type { PlanChange, ChangeKind, UpdatePlan } from './model/update-plan.ts'

/** `3 files added, 1 removed; 2 units changed; the OS image changes; the node is drained and reboots`. */
export function planSummary(plan: UpdatePlan): string {
  const counted = Object.entries(nouns).flatMap(([kind, noun]) =>
    countsOf(plan.changes, kind as ChangeKind, noun),
  )
  const others = Object.entries(sentences).flatMap(([kind, sentence]) =>
    plan.changes.some((one) => one.kind === kind) ? [sentence] : [],
  )
  return [...counted, ...others, consequenceOf(plan)].join('; ')
}

const nouns = { file: 'file', unit: 'unit', dropin: 'drop-in' } as const satisfies Partial<
  Record<ChangeKind, string>
>

/** Kinds of which a node has only one. */
const sentences = {
  kernelArguments: 'kernel arguments change',
  sshKeys: 'SSH keys change',
  passwordHash: 'a password changes',
  kernelType: 'the kernel type changes',
  extensions: 'extensions change',
  osImage: 'the OS image changes',
  fips: 'FIPS mode changes',
} as const satisfies Partial<Record<ChangeKind, string>>

function countsOf(changes: readonly PlanChange[], kind: ChangeKind, noun: string): string[] {
  const counts = (['added', 'changed', 'removed'] as const).flatMap((change) => {
    const { length } = changes.filter((one) => one.kind === kind && one.change === change)
    return length === 0 ? [] : [{ length, change }]
  })
  const [first, ...rest] = counts
  if (!first) return []
  const begin = `${first.length} ${noun}${first.length === 1 ? '' : 's'} ${first.change}`
  return [[begin, ...rest.map(({ length, change }) => `${length} ${change}`)].join(', ')]
}

function consequenceOf({ reconcilable, reasons, drain, reboot }: UpdatePlan): string {
  if (!reconcilable) {
    const more = reasons.length > 1 ? ` and ${reasons.length - 1} more` : ''
    return `the update cannot be applied to a running node (${reasons[0]}${more})`
  }
  if (drain && reboot) return 'the node is drained and reboots'
  if (reboot) return 'the node reboots without a drain'
  return drain ? 'the node is drained' : 'the node is neither drained nor rebooted'
}
