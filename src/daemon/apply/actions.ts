import type { Clock } from '../../base/clock.ts'
import { sleep } from '../../base/clock.ts'
import type { Host } from '../host/host.ts'
import { HostFailure } from '../host/host-failure.ts'
import type { ActionStep } from './intent.ts'
import { parkIf } from './parked.ts'

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
