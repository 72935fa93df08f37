import type { Gauge, Metrics } from '@machinist/core/metrics'
import type { Condition } from '@machinist/core/objects/resource'
import { keyOf, referenceTo } from '@machinist/core/objects/resource'
import { modify } from '@machinist/kube/client/modify'
import { timestamp } from '@machinist/core/timestamp'
import type { StepContext } from '@machinist/kube/controller/step-controller'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import {
  conditionOf,
  inputDegraded,
  isCondition,
  setCondition,
  maxMessageLength,
} from '../../api/conditions.ts'
import { otherOperatorOf } from '../../api/maker.ts'
import type { ControllerConfig } from '../../api/kinds/resources.ts'
import { controllerConfigs } from '../../api/kinds/resources.ts'
import type { InputProblem } from './problem.ts'

/** The result of one input. Without a problem, it is valid or not set. */
export interface InputReport {
  /** The name in the condition type `machinist.dev/InputDegraded.<input>`. */
  readonly input: string
  readonly problem?: InputProblem | undefined
}

export type InputReportContext = Pick<StepContext, 'client' | 'clock' | 'events' | 'signal'>

/** Reasons of events, and of the condition of a recovered input. */
const reasons = { degraded: 'InputDegraded', recovered: 'InputRecovered', asExpected: 'AsExpected' }

/**
 * Reports invalid inputs in conditions of the ControllerConfig, in events and in a metric. Each controller reports its own inputs
 * and leaves other conditions unchanged.
 */
export class InputReporter {
  readonly #degraded: Gauge<'input'>

  constructor(metrics: Metrics) {
    this.#degraded = metrics.gauge({
      name: 'machinist_operator_input_degraded',
      help: 'Whether an input of the operator is invalid, so that its last valid value stays in effect.',
      labels: ['input'],
    })
  }

  /** Writes at most once, and only if a condition changes and no other operator owns the ControllerConfig. */
  async report(
    controllerConfig: Readonly<ControllerConfig>,
    reports: readonly InputReport[],
    { client, clock, events, signal }: InputReportContext,
  ): Promise<void> {
    if (otherOperatorOf(controllerConfig) !== undefined) return
    const now = timestamp(clock.now())
    for (const report of reports) this.#emitEvents(controllerConfig, report, events)
    const { conditions = [] } = controllerConfig.status ?? {}
    if (updatedConditions(conditions, reports, now) === conditions) return
    const change = (newest: ControllerConfig): ControllerConfig => ({
      ...newest,
      status: {
        ...newest.status,
        conditions: [...updatedConditions(newest.status?.conditions ?? [], reports, now)],
      },
    })
    const key = keyOf(controllerConfig)
    await modify(client, controllerConfigs, key, change, { subresource: 'status', signal })
  }

  /** The condition contains the last reported problem, so a restart does not repeat events. */
  #emitEvents(
    controllerConfig: Readonly<ControllerConfig>,
    { input, problem }: InputReport,
    events: EventRecorder,
  ): void {
    this.#degraded.set({ input }, problem ? 1 : 0)
    const { conditions } = controllerConfig.status ?? {}
    const type = inputDegraded(input)
    const itself = referenceTo(controllerConfigs, controllerConfig)
    if (problem) {
      const reported = conditionOf(conditions, type)
      if (reported?.status === 'True' && reported.message === messageOf(problem)) return
      const message = `${messageOf(problem)}; the last valid value stays in effect`
      events.warning(problem.about ?? itself, reasons.degraded, message)
    } else if (isCondition(conditions, type)) {
      events.normal(itself, reasons.recovered, `input ${input} is valid again`)
    }
  }
}

function updatedConditions(
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
      // An input that was never invalid needs no condition.
      const report = { type, status: 'False', reason: reasons.asExpected, message: '' } as const
      conditions = setCondition(conditions, report, now)
    }
  }
  return conditions
}

const messageOf = ({ message }: InputProblem): string => message.slice(0, maxMessageLength)
