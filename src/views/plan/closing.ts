import type { ChangeKind, UpdatePlan } from '../../planner/model/update-plan.ts'

/** `2 files change, 1 unit changes; the node is drained and reboots because …` */
export function closingLine(plan: UpdatePlan): string {
  const what = changesText(plan)
  if (!plan.reconcilable) return `${what}; a running node cannot apply this.`
  return `${what}; ${nodeText(plan)}.`
}

/** Kinds that can be counted; a node has only one of the others. */
const countable: Partial<Record<ChangeKind, string>> = {
  file: 'file',
  unit: 'unit',
  dropin: 'drop-in',
}
const single: Partial<Record<ChangeKind, string>> = {
  kernelArguments: 'kernel arguments change',
  sshKeys: 'SSH keys change',
  passwordHash: 'a password changes',
  kernelType: 'the kernel changes',
  extensions: 'extensions change',
  osImage: 'the OS image changes',
  fips: 'FIPS mode changes',
}

function changesText({ changes }: UpdatePlan): string {
  const numbers = new Map<ChangeKind, number>()
  for (const { kind } of changes) numbers.set(kind, (numbers.get(kind) ?? 0) + 1)
  const texts = [...numbers].map(([kind, number]) => {
    const noun = countable[kind]
    if (noun === undefined) return single[kind] ?? kind
    return number === 1 ? `1 ${noun} changes` : `${number} ${noun}s change`
  })
  return texts.length === 0 ? 'Nothing changes' : capitalized(texts.join(', '))
}

function nodeText({ drain, drainRule, reboot, actions }: UpdatePlan): string {
  const [first] = actions
  if (reboot) {
    return `the node ${drain ? 'is drained and reboots' : 'reboots without a drain'} because ${clause(first!.rule)}`
  }
  const services = actions.flatMap(({ type, service }) =>
    service === undefined ? [] : [`${verbs[type] ?? type} ${service}`],
  )
  const done = services.length === 0 ? '' : `, and the daemon will ${services.join(', then ')}`
  return drain
    ? `the node is drained because ${clause(drainRule)}, but does not reboot${done}`
    : `the node is neither drained nor rebooted${done}`
}

/** A rule in the form that follows `because`. */
function clause(rule: string): string {
  if (rule.startsWith('no policy')) return `there is ${rule}`
  if (/^(default )?policy/.test(rule)) return `of the ${rule}`
  return /^the rules of \S+ for/.test(rule) ? `of ${rule}` : rule
}

const verbs: Readonly<Record<string, string>> = {
  Reload: 'reload',
  Restart: 'restart',
  Special: 'reload',
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
