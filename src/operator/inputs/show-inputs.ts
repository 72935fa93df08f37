import {
  conditionOf,
  inputDegraded,
  isCondition,
  setCondition,
  longestMessage,
} from '../../api/conditions.ts'
import { otherOperatorOf } from '../../api/maker.ts'
import type { ControllerConfig } from '../../api/resources.ts'
import { controllerConfigs } from '../../api/resources.ts'
import type { Clock } from '@machinist/core/clock'
import type { Gauge, Metrics } from '@machinist/core/metrics'
import type { Condition } from '@machinist/core/resource'
import { keyOf, referenceTo } from '@machinist/core/resource'
import type { KubeClient } from '@machinist/kube/client'
import { modify } from '@machinist/kube/client-modify'
import { timestamp } from '@machinist/core/timestamp'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import type { InputProblem } from './problem.ts'

/** What became of one input. Without a problem it is good, or was not asked for. */
export interface InputReport {
  /** As the condition names it: `machinist.dev/InputDegraded.<input>`. */
  readonly input: string
  readonly problem?: InputProblem | undefined
}

export interface ShowOptions {
  readonly client: KubeClient
  readonly clock: Clock
  readonly events: EventRecorder
  readonly metrics: Metrics
}

/** The reason of events, and of the condition once the input is good again. */
const reasons = { degraded: 'InputDegraded', recovered: 'InputRecovered', good: 'AsExpected' }

/**
 * Shows which inputs cannot be used: in conditions of the ControllerConfig, one event for each piece of news, and a
 * metric. Each loop tells about its own inputs; all other conditions stay as they are.
 */
export class InputShow {
  readonly #options: ShowOptions
  readonly #degraded: Gauge<'input'>

  constructor(options: ShowOptions) {
    this.#options = options
    this.#degraded = options.metrics.gauge({
      name: 'machinist_operator_input_degraded',
      help: 'Whether an input of the operator cannot be used, so that its last good value stays.',
      labels: ['input'],
    })
  }

  /** At most one write, and none when there is nothing new, or on a ControllerConfig of another operator. */
  async show(
    controllerConfig: Readonly<ControllerConfig>,
    reports: readonly InputReport[],
    signal: AbortSignal,
  ): Promise<void> {
    if (otherOperatorOf(controllerConfig) !== undefined) return
    const { client, clock } = this.#options
    const now = timestamp(clock.now())
    for (const report of reports) this.#tell(controllerConfig, report)
    const { conditions = [] } = controllerConfig.status ?? {}
    if (withReports(conditions, reports, now) === conditions) return
    const change = (newest: ControllerConfig): ControllerConfig => ({
      ...newest,
      status: {
        ...newest.status,
        conditions: [...withReports(newest.status?.conditions ?? [], reports, now)],
      },
    })
    const key = keyOf(controllerConfig)
    await modify(client, controllerConfigs, key, change, { subresource: 'status', signal })
  }

  /** The condition on the object says what was told before, so a restart tells nothing twice. */
  #tell(controllerConfig: Readonly<ControllerConfig>, { input, problem }: InputReport): void {
    const { events } = this.#options
    this.#degraded.set({ input }, problem ? 1 : 0)
    const { conditions } = controllerConfig.status ?? {}
    const type = inputDegraded(input)
    const itself = referenceTo(controllerConfigs, controllerConfig)
    if (problem) {
      const told = conditionOf(conditions, type)
      if (told?.status === 'True' && told.message === messageOf(problem)) return
      const message = `${messageOf(problem)}; what was good last stays in force`
      events.warning(problem.about ?? itself, reasons.degraded, message)
    } else if (isCondition(conditions, type)) {
      events.normal(itself, reasons.recovered, `the input ${input} can be used again`)
    }
  }
}

function withReports(
  before: readonly Condition[],
  reports: readonly InputReport[],
  now: string,
): readonly Condition[] {
  let conditions = before
  for (const { input, problem } of reports) {
    const type = inputDegraded(input)
    if (problem) {
      const { reason } = problem
      const report = { type, status: 'True', reason, message: messageOf(problem) } as const
      conditions = setCondition(conditions, report, now)
    } else if (conditionOf(conditions, type)) {
      // What was never bad needs no line.
      const report = { type, status: 'False', reason: reasons.good, message: '' } as const
      conditions = setCondition(conditions, report, now)
    }
  }
  return conditions
}

const messageOf = ({ message }: InputProblem): string => message.slice(0, longestMessage)
