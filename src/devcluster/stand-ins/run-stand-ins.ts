import { ControllerRunner } from '@machinist/kube/controller/controller-runner'
import type { DevclusterTools } from '../objects/tools.ts'
import { kubeletStandIn } from './kubelet-stand-in.ts'
import { nodeTaintsStandIn } from './node-taints-stand-in.ts'
import { podCollectorStandIn } from './pod-collector-stand-in.ts'
import { schedulerStandIn } from './scheduler-stand-in.ts'
import { standInCaches } from './stand-in-caches.ts'
import { workloadsStandIn } from './workloads-stand-in.ts'

/** Runs simplified kubelets, a scheduler and workload controllers until the signal aborts. */
export async function runStandIns(tools: DevclusterTools, signal: AbortSignal): Promise<void> {
  const following: Promise<void>[] = []
  const caches = standInCaches(tools, (informer) => following.push(informer.start(signal)))
  const standIns = [
    kubeletStandIn,
    nodeTaintsStandIn,
    podCollectorStandIn,
    schedulerStandIn,
    workloadsStandIn,
  ]
  const running = standIns.map((createStandIn) =>
    new ControllerRunner(createStandIn(tools, caches), { ...tools, stopGraceMs: 1000 }).run(signal),
  )
  await Promise.all([...running, ...following])
}
