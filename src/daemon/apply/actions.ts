import type { Clock } from '@machinist/core/clock'
import { sleep } from '@machinist/core/clock'
import type { Logger } from '@machinist/core/log'
import type { Host } from '../host/host.ts'
import { HostFailure } from '../host/host-failure.ts'
import type { ActionStep, Intent } from './intent.ts'
import { actionsOf } from './intent.ts'
import type { Mark } from './marks.ts'
import { begunIn } from './marks.ts'
import { Parked, parkIf } from './parked.ts'

/** How long a service may take until it is well again. */
const patienceMs = 30_000
const lookEveryMs = 1000

export type ServiceAction = Exclude<ActionStep, { do: 'reboot' }>

/** Does it, and makes sure that the service is well afterwards. */
export async function act(
  { units }: Host,
  step: ServiceAction,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  if (step.do === 'daemon-reload') return units.daemonReload()
  if (step.do === 'reload') await units.reload(step.service)
  else await units.restart(step.service)
  const deadline = clock.elapsed() + patienceMs
  while (!(await units.healthy(step.service))) {
    if (clock.elapsed() >= deadline) {
      throw new HostFailure(
        `${step.service} does not run ${patienceMs / 1000} s after its ${step.do}`,
        'unhealthy',
      )
    }
    await sleep(clock, lookEveryMs, signal)
    parkIf(signal)
  }
}

export interface Acting {
  readonly host: Host
  readonly clock: Clock
  readonly log: Logger
}

/** Services that have seen the new files must see the old ones again. That it fails is no reason to keep the new ones. */
export async function undoActions(
  { host, clock, log }: Acting,
  intent: Intent,
  marks: readonly Mark[],
  signal: AbortSignal,
): Promise<void> {
  const actions = actionsOf(intent)
  const begun = begunIn(marks).map((number) => actions[number])
  const taken = begun.filter((step): step is ServiceAction => !!step && step.do !== 'reboot')
  // systemctl, too, tells systemd to look at its files again.
  if (taken.length === 0 && !intent.enablement) return
  for (const step of undoing(taken)) {
    try {
      await act(host, step, clock, signal)
    } catch (failure) {
      if (failure instanceof Parked) throw failure
      log.error('a service is not well after the files were put back', failure, {
        ...('service' in step && { service: step.service }),
      })
    }
  }
}

/** What brings the services that were told about new files back to the old ones, each once. */
export function undoing(taken: readonly ServiceAction[]): ServiceAction[] {
  const services = new Map<string, ServiceAction>()
  for (const step of taken) {
    if (step.do === 'daemon-reload') continue
    // Who was restarted must be again: a reload may not be enough for the old files.
    if (services.get(step.service)?.do !== 'restart') services.set(step.service, step)
  }
  return [{ do: 'daemon-reload' }, ...services.values()]
}
