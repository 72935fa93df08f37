import { nodePaths } from '../../api/node-paths.ts'
import { isNeverRemoved, isNeverWritten } from '../differences/certificate-files.ts'
import type { Differences } from '../differences/differences.ts'
import { filesOf } from '../differences/files.ts'
import type { PlanInput } from '../model/plan-input.ts'
import type { ReadConfig } from '../differences/read-config.ts'
import { changedUnits, unitPathsOf } from '../differences/units.ts'
import type { PlanAction, NodeFacts, PlanStep } from '../model/update-plan.ts'
import { coreUser, keysOf, lockedPassword, passwordHashOf } from '../differences/users.ts'
import { byText } from '../model/wording.ts'
import { osStep } from './steps-os.ts'
import { unitSteps } from './steps-units.ts'

export interface DecidedActions {
  readonly drain: boolean
  readonly actions: readonly PlanAction[]
}

/** The steps of the daemon, in order. Each path, unit and user is in at most one step of a type. */
export function stepsOf(
  before: ReadConfig,
  after: ReadConfig,
  differences: Differences,
  { drain, actions }: DecidedActions,
  input: PlanInput,
): PlanStep[] {
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

function fileSteps(after: ReadConfig, { files }: Differences, input: PlanInput): PlanStep[] {
  const written = input.facts.forced
    ? [...filesOf(after.ignition).keys()].sort(byText)
    : files.filter((file) => file.after).map(({ path }) => path)
  // A path that becomes a unit or drop-in is not removed.
  const unitPaths = unitPathsOf(after.ignition)
  const removed = files
    .filter((file) => !file.after && !unitPaths.has(file.path))
    .map(({ path }) => path)
  // Removals first: a file may be replaced by a directory, or a directory by a file.
  return [
    ...removed
      .filter((path) => !isNeverRemoved(path, input))
      .map((path): PlanStep => ({ do: 'remove-file', path })),
    ...written
      .filter((path) => !isNeverWritten(path, input))
      .map((path): PlanStep => ({ do: 'write-file', path })),
  ]
}

function userSteps(after: ReadConfig, differences: Differences, facts: NodeFacts): PlanStep[] {
  const { ignition } = after
  const users = facts.forced ? (ignition.passwd?.users ?? []) : []
  const touchesKeys = differences.keys !== undefined || users.length > 0
  const passwords = new Set([
    ...differences.passwords.map(({ user }) => user),
    ...users.map(({ name }) => name).filter((user) => isPassword(passwordHashOf(ignition, user))),
  ])
  const action = keysOf(ignition).length > 0 ? 'write-ssh-keys' : 'remove-ssh-keys'
  return [
    ...(touchesKeys ? [{ do: action, user: coreUser, path: facts.keysPath } as const] : []),
    ...[...passwords].map((user): PlanStep => ({ do: 'set-password', user })),
  ]
}

const isPassword = (hash: string): boolean => hash !== lockedPassword

function actionSteps(
  actions: readonly PlanAction[],
  differences: Differences,
  desired: string,
): PlanStep[] {
  const steps: PlanStep[] = []
  for (const { type, service = '', rule } of actions) {
    if (type === 'Reboot') steps.push({ do: 'reboot', reason: `update to ${desired}: ${rule}` })
    if (type === 'DaemonReload') steps.push({ do: 'daemon-reload' })
    if (type === 'Restart') steps.push({ do: 'restart', service })
    const reloads = steps.some((step) => step.do === 'reload' && step.service === service)
    // Special and Reload of the same service are one reload.
    if ((type === 'Reload' || type === 'Special') && !reloads) {
      steps.push({ do: 'reload', service })
    }
  }
  return needsDaemonReload(steps, differences) ? [{ do: 'daemon-reload' }, ...steps] : steps
}

/** Without a daemon-reload, systemd would restart a service with its old unit. */
function needsDaemonReload(steps: readonly PlanStep[], differences: Differences): boolean {
  const restarts = steps.some((step) => step.do === 'restart' || step.do === 'reload')
  const isReloaded = steps.some((step) => step.do === 'daemon-reload' || step.do === 'reboot')
  const units =
    changedUnits(differences.units, differences.dropins).length > 0 ||
    differences.files.some(({ path }) => path.startsWith(`${nodePaths.units}/`))
  return restarts && units && !isReloaded
}
