import { nodePaths } from '../api/node-paths.ts'
import { isNeverRemoved, isNeverWritten } from './certificate-files.ts'
import type { Differences } from './differences.ts'
import { filesOf } from './files.ts'
import type { PlanInput } from './plan-input.ts'
import type { ReadConfig } from './read-config.ts'
import { osStep } from './steps-os.ts'
import { unitSteps } from './steps-units.ts'
import { changedUnits, unitPathsOf } from './units.ts'
import type { Action, NodeFacts, Step } from './update-plan.ts'
import { coreUser, keysOf, lockedPassword, passwordHashOf } from './users.ts'
import { byText } from './wording.ts'

export interface Decided {
  readonly drain: boolean
  readonly actions: readonly Action[]
}

/** What the daemon does, in order. Each path, unit and user is in at most one step of a kind. */
export function stepsOf(
  before: ReadConfig,
  after: ReadConfig,
  differences: Differences,
  { drain, actions }: Decided,
  input: PlanInput,
): Step[] {
  return [
    ...(drain ? [{ do: 'drain' } as const] : []),
    ...fileSteps(after, differences, input),
    ...unitSteps(after.ignition, differences, input.facts.forced),
    ...userSteps(after, differences, input.facts),
    ...osStep(before, after, differences, input.facts),
    { do: 'store-config' },
    ...actionSteps(actions, differences, after.name),
  ]
}

function fileSteps(after: ReadConfig, { files }: Differences, input: PlanInput): Step[] {
  const written = input.facts.forced
    ? [...filesOf(after.ignition).keys()].sort(byText)
    : files.filter((file) => file.after).map(({ path }) => path)
  // What a unit or drop-in is about to take over is not taken away from it.
  const taken = unitPathsOf(after.ignition)
  const removed = files
    .filter((file) => !file.after && !taken.has(file.path))
    .map(({ path }) => path)
  // Where a file was there may be a directory next, and the other way round.
  return [
    ...removed
      .filter((path) => !isNeverRemoved(path, input))
      .map((path): Step => ({ do: 'remove-file', path })),
    ...written
      .filter((path) => !isNeverWritten(path, input))
      .map((path): Step => ({ do: 'write-file', path })),
  ]
}

function userSteps(after: ReadConfig, differences: Differences, facts: NodeFacts): Step[] {
  const { ignition } = after
  const users = facts.forced ? (ignition.passwd?.users ?? []) : []
  const touchesKeys = differences.keys !== undefined || users.length > 0
  const passwords = new Set([
    ...differences.passwords.map(({ user }) => user),
    ...users.map(({ name }) => name).filter((user) => isPassword(passwordHashOf(ignition, user))),
  ])
  const verb = keysOf(ignition).length > 0 ? 'write-ssh-keys' : 'remove-ssh-keys'
  return [
    ...(touchesKeys ? [{ do: verb, user: coreUser, path: facts.keysPath } as const] : []),
    ...[...passwords].map((user): Step => ({ do: 'set-password', user })),
  ]
}

const isPassword = (hash: string): boolean => hash !== lockedPassword

function actionSteps(
  actions: readonly Action[],
  differences: Differences,
  desired: string,
): Step[] {
  const steps: Step[] = []
  for (const { type, service = '', rule } of actions) {
    if (type === 'Reboot') steps.push({ do: 'reboot', reason: `update to ${desired}: ${rule}` })
    if (type === 'DaemonReload') steps.push({ do: 'daemon-reload' })
    if (type === 'Restart') steps.push({ do: 'restart', service })
    const reloads = steps.some((step) => step.do === 'reload' && step.service === service)
    // A special reload and a plain one of the same service are one.
    if ((type === 'Reload' || type === 'Special') && !reloads) {
      steps.push({ do: 'reload', service })
    }
  }
  return needsDaemonReload(steps, differences) ? [{ do: 'daemon-reload' }, ...steps] : steps
}

/** Restarting a service whose unit changed would restart the old one, unless systemd is told of the new one first. */
function needsDaemonReload(steps: readonly Step[], differences: Differences): boolean {
  const restarts = steps.some((step) => step.do === 'restart' || step.do === 'reload')
  const told = steps.some((step) => step.do === 'daemon-reload' || step.do === 'reboot')
  const units =
    changedUnits(differences.units, differences.dropins).length > 0 ||
    differences.files.some(({ path }) => path.startsWith(`${nodePaths.units}/`))
  return restarts && units && !told
}
