import type { Clock } from '@machinist/core/clock'
import type { Metrics } from '@machinist/core/metrics'
import type { OsFacts } from '../host/host.ts'

/** The daemon's numbers, under the names that dashboards and alerts know. */
export interface DaemonMetrics {
  os(facts: OsFacts): void
  state(state: string, reason: string): void
  updated(config: string, error: string): void
  rebootFailed(): void
  osChange(failed: boolean): void
  drifted(drifted: boolean): void
  missing(config: string): void
  /** How often in a row the kubelet was not well. */
  kubelet(failures: number): void
  foreignPackages(node: string, count: number): void
}

export function daemonMetrics(metrics: Metrics, clock: Clock): DaemonMetrics {
  const os = metrics.gauge({
    name: 'mcd_host_os_and_version',
    help: 'The operating system of this node.',
    labels: ['os', 'version'],
  })
  const state = metrics.gauge({
    name: 'mcd_state',
    help: 'Since when (seconds since the epoch) the node is in this state.',
    labels: ['state', 'reason'],
  })
  const update = metrics.gauge({
    name: 'mcd_update_state',
    help: 'When (seconds since the epoch) the last update to this config ended, and how.',
    labels: ['config', 'err'],
  })
  const reboots = metrics.counter({
    name: 'mcd_reboots_failed_total',
    help: 'Reboots that the machine did not accept.',
  })
  const pivots = metrics.gauge({
    name: 'mcd_pivot_errors_total',
    help: 'Changes of the operating system that failed in a row.',
  })
  const drift = metrics.gauge({
    name: 'mcd_config_drift',
    help: 'When (seconds since the epoch) the disk was found to differ from its config; 0: it does not.',
  })
  const missing = metrics.counter({
    name: 'mcd_missing_mc',
    help: 'How often a MachineConfig that the node names did not exist.',
    labels: ['mc'],
  })
  const foreign = metrics.gauge({
    name: 'mcd_local_unsupported_packages',
    help: 'Packages put on the OS image, or taken from it, that no config asks for.',
    labels: ['node'],
  })
  // Told only where somebody asks it: a number that nobody has measured would look well.
  const kubelet = once(() =>
    metrics.gauge({
      name: 'mcd_kubelet_state',
      help: 'How often in a row the kubelet did not say that it is well.',
    }),
  )
  reboots.add({}, 0)
  pivots.set({}, 0)
  drift.set({}, 0)
  return {
    os: ({ id, versionId }) => os.set({ os: id, version: versionId }, 1),
    state: replacing(state, clock, ['state', 'reason']),
    updated: replacing(update, clock, ['config', 'err']),
    rebootFailed: () => reboots.add({}),
    osChange: (failed) => (failed ? pivots.add({}, 1) : pivots.set({}, 0)),
    drifted: (drifted) => drift.set({}, drifted ? seconds(clock) : 0),
    missing: (config) => missing.add({ mc: config }),
    kubelet: (failures) => kubelet().set({}, failures),
    foreignPackages: (node, count) => foreign.set({ node }, count),
  }
}

function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}

/** One series at a time: the old one goes when a new one comes. */
function replacing<Label extends string>(
  gauge: {
    set(labels: Readonly<Record<Label, string>>, value: number): void
    forget(labels: Readonly<Record<Label, string>>): void
  },
  clock: Clock,
  [first, second]: readonly [Label, Label],
): (one: string, other: string) => void {
  let last: Readonly<Record<Label, string>> | undefined
  return (one, other) => {
    if (last && last[first] === one && last[second] === other) return
    if (last) gauge.forget(last)
    last = { [first]: one, [second]: other } as Readonly<Record<Label, string>>
    gauge.set(last, seconds(clock))
  }
}

const seconds = (clock: Clock): number => Math.floor(clock.now() / 1000)
