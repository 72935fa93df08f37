import type { Clock } from '@machinist/core/clock'
import { sleep } from '@machinist/core/clock'
import type { Logger } from '@machinist/core/log'
import type { Host } from '../../host/host.ts'
import { HostFailure } from '../../host/host-failure.ts'
import type { ActionStep, Intent } from '../intent.ts'
import { actionStepsOf } from '../intent.ts'
import type { Mark } from '../journal/marks.ts'
import { startedActionsIn } from '../journal/marks.ts'
import { Parked, parkIfAborted } from './parked.ts'

/** How long a service may take to become healthy after a reload or restart. */
const healthTimeoutMs = 30_000
const healthIntervalMs = 1000

export type ServiceAction = Exclude<ActionStep, { do: 'reboot' }>

/** Runs one action, and waits until the service is healthy. */
export async function runAction(
  { units }: Host,
  step: ServiceAction,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  if (step.do === 'daemon-reload') return units.daemonReload()
  if (step.do === 'reload') await units.reload(step.service)
  else await units.restart(step.service)
  const deadline = clock.elapsed() + healthTimeoutMs
  while (!(await units.isHealthy(step.service))) {
    if (clock.elapsed() >= deadline) {
      throw new HostFailure(
        `${step.service} is not healthy ${healthTimeoutMs / 1000} s after its ${step.do}`,
        'unhealthy',
      )
    }
    await sleep(clock, healthIntervalMs, signal)
    parkIfAborted(signal)
  }
}

export interface ActionContext {
  readonly host: Host
  readonly clock: Clock
  readonly log: Logger
}

/** Makes services that have read the new files read the restored ones. A failure is logged and does not stop the rollback. */
export async function undoActions(
  { host, clock, log }: ActionContext,
  intent: Intent,
  marks: readonly Mark[],
  signal: AbortSignal,
): Promise<void> {
  const actions = actionStepsOf(intent)
  const started = startedActionsIn(marks).map((number) => actions[number])
  const run = started.filter((step): step is ServiceAction => !!step && step.do !== 'reboot')
  // Enabling and disabling units also makes systemd reload unit files.
  if (run.length === 0 && !intent.enablement) return
  for (const step of undoStepsFor(run)) {
    try {
      await runAction(host, step, clock, signal)
    } catch (failure) {
      if (failure instanceof Parked) throw failure
      log.error('service is unhealthy after rollback', failure, {
        ...('service' in step && { service: step.service }),
      })
    }
  }
}

/** The actions that bring services back to the restored files, each service once. */
export function undoStepsFor(run: readonly ServiceAction[]): ServiceAction[] {
  const services = new Map<string, ServiceAction>()
  for (const step of run) {
    if (step.do === 'daemon-reload') continue
    // A service that was restarted is restarted again: a reload may not pick up the restored files.
    if (services.get(step.service)?.do !== 'restart') services.set(step.service, step)
  }
  return [{ do: 'daemon-reload' }, ...services.values()]
}
