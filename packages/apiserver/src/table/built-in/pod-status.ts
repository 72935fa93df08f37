import type { KubeJson } from './cells.ts'
import { at, listAt, numberAt, textAt } from './cells.ts'

export interface PodStatus {
  readonly ready: number
  readonly containers: number
  /** The state of all containers as one word: the column STATUS. */
  readonly reason: string
  readonly restarts: number
  /** When a container last terminated before a restart. */
  readonly lastRestart: string | undefined
}

/** Summarizes a pod's containers as kube-apiserver does for `kubectl get pods`. */
export function podStatus(pod: KubeJson): PodStatus {
  const sum = summary(pod)
  const initializing = sumInitContainers(pod, sum)
  if (!initializing || hasCondition(pod, 'Initialized')) sumContainers(pod, sum)
  if (at(pod, 'metadata', 'deletionTimestamp') !== undefined) {
    if (textAt(pod, ['status', 'reason']) === 'NodeLost') sum.reason = 'Unknown'
    else if (!ended.has(textAt(pod, ['status', 'phase']))) sum.reason = 'Terminating'
  }
  return { ...sum, restarts: sum.restarts + sum.sidecarRestarts }
}

interface Summary {
  ready: number
  containers: number
  reason: string
  restarts: number
  lastRestart: string | undefined
  /** Restarts of sidecar containers: they count after initialization, too. */
  sidecarRestarts: number
  lastSidecarRestart: string | undefined
}

const ended = new Set(['Succeeded', 'Failed'])

function summary(pod: KubeJson): Summary {
  const sidecars = listAt(pod, 'spec', 'initContainers').filter(isSidecar)
  const gated = listAt(pod, 'status', 'conditions').some(
    (one) => at(one, 'type') === 'PodScheduled' && at(one, 'reason') === 'SchedulingGated',
  )
  const phase = textAt(pod, ['status', 'phase'])
  return {
    ready: 0,
    containers: listAt(pod, 'spec', 'containers').length + sidecars.length,
    reason: gated ? 'SchedulingGated' : textAt(pod, ['status', 'reason'], phase),
    restarts: 0,
    lastRestart: undefined,
    sidecarRestarts: 0,
    lastSidecarRestart: undefined,
  }
}

/** True if the pod is still initializing. */
function sumInitContainers(pod: KubeJson, sum: Summary): boolean {
  const specs = listAt(pod, 'spec', 'initContainers')
  for (const [i, container] of listAt(pod, 'status', 'initContainerStatuses').entries()) {
    const sidecar = isSidecar(specs.find((spec) => at(spec, 'name') === at(container, 'name')))
    if (sidecar) {
      sum.sidecarRestarts += numberAt(container, 'restartCount')
      sum.lastSidecarRestart = later(sum.lastSidecarRestart, lastEnd(container))
    } else sum.restarts += numberAt(container, 'restartCount')
    sum.lastRestart = later(sum.lastRestart, lastEnd(container))
    const terminated = at(container, 'state', 'terminated')
    if (terminated !== undefined && numberAt(terminated, 'exitCode') === 0) continue
    if (sidecar && at(container, 'started') === true) {
      if (at(container, 'ready') === true) sum.ready++
      continue
    }
    sum.reason = `Init:${initReason(container) ?? `${i}/${specs.length}`}`
    return true
  }
  return false
}

function initReason(container: unknown): string | undefined {
  const terminated = at(container, 'state', 'terminated')
  if (terminated !== undefined) return endReason(terminated)
  const waiting = textAt(container, ['state', 'waiting', 'reason'])
  return waiting === '' || waiting === 'PodInitializing' ? undefined : waiting
}

function sumContainers(pod: KubeJson, sum: Summary): void {
  sum.restarts = 0
  sum.lastRestart = sum.lastSidecarRestart
  let running = false
  for (const container of listAt(pod, 'status', 'containerStatuses').toReversed()) {
    sum.restarts += numberAt(container, 'restartCount')
    sum.lastRestart = later(sum.lastRestart, lastEnd(container))
    const waiting = textAt(container, ['state', 'waiting', 'reason'])
    const terminated = at(container, 'state', 'terminated')
    if (waiting !== '') sum.reason = waiting
    else if (terminated !== undefined) sum.reason = endReason(terminated)
    else if (at(container, 'ready') === true && at(container, 'state', 'running') !== undefined) {
      running = true
      sum.ready++
    }
  }
  if (sum.reason === 'Completed' && running) {
    sum.reason = hasCondition(pod, 'Ready') ? 'Running' : 'NotReady'
  }
}

function endReason(terminated: unknown): string {
  const signal = numberAt(terminated, 'signal')
  const otherwise =
    signal === 0 ? `ExitCode:${numberAt(terminated, 'exitCode')}` : `Signal:${signal}`
  return textAt(terminated, ['reason'], otherwise)
}

const isSidecar = (container: unknown): boolean => at(container, 'restartPolicy') === 'Always'

const lastEnd = (container: unknown): string | undefined =>
  textAt(container, ['lastState', 'terminated', 'finishedAt']) || undefined

function later(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b
  return Date.parse(b) > Date.parse(a) ? b : a
}

function hasCondition(pod: KubeJson, type: string): boolean {
  const found = listAt(pod, 'status', 'conditions').find((one) => at(one, 'type') === type)
  return at(found, 'status') === 'True'
}
