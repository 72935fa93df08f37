import { sleep } from '@machinist/core/clock'
import { timestamp } from '@machinist/core/timestamp'
import { modify } from '@machinist/kube/client/modify'
import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import { isNotFound } from '@machinist/kube/failure'
import {
  conditionOf,
  ownMachineConfigurationConditions,
  setCondition,
} from '../../api/conditions.ts'
import type { MachineConfiguration } from '../../api/kinds/resources.ts'
import { machineConfigurations } from '../../api/kinds/resources.ts'
import { names } from '../../api/names.ts'
import { serverOpenReasons } from '../../api/reasons.ts'

/** Another writer of the status may have removed the condition. */
const checkMs = 5 * 60_000

/** Keeps the condition ServerOpen of MachineConfiguration `cluster` current until the signal aborts. */
export async function reportOpen(
  { client, clock, log }: Pick<ControllerContext, 'client' | 'clock' | 'log'>,
  isOpen: boolean,
  signal: AbortSignal,
): Promise<void> {
  const key = { name: names.machineConfiguration }
  const change = (found: MachineConfiguration): MachineConfiguration | undefined =>
    withCondition(found, isOpen, timestamp(clock.now()))
  while (!signal.aborted) {
    try {
      await modify(client, machineConfigurations, key, change, { subresource: 'status', signal })
    } catch (error) {
      if (!signal.aborted && !isNotFound(error)) {
        log.error('cannot set the condition ServerOpen', error)
      }
    }
    await sleep(clock, checkMs, signal)
  }
}

/** Pure. A server that is not open only clears the condition: without it nothing needs attention. */
export function withCondition(
  found: MachineConfiguration,
  isOpen: boolean,
  now: string,
): MachineConfiguration | undefined {
  const type = ownMachineConfigurationConditions.serverOpen
  const { conditions } = found.status ?? {}
  if (!isOpen && conditionOf(conditions, type)?.status !== 'True') return undefined
  const report = isOpen
    ? {
        type,
        status: 'True' as const,
        reason: serverOpenReasons.open,
        message:
          'The machine config server gives configs, with their secrets, to every client that can reach it. Start it without --open.',
      }
    : { type, status: 'False' as const, reason: serverOpenReasons.tokenRequired, message: '' }
  const next = [...setCondition(conditions, report, now)]
  return { ...found, status: { ...found.status, conditions: next } }
}
