import type { Clock } from '@machinist/core/clock'
import type { Metrics } from '@machinist/core/metrics'
import type { OsFacts } from '../host/host.ts'

/** The daemon's metrics, under the names that MCO's dashboards and alerts use. */
export interface DaemonMetrics {
  os(facts: OsFacts): void
  state(state: string, reason: string): void
  updated(config: string, error: string): void
  rebootFailed(): void
  osChange(failed: boolean): void
  drifted(drifted: boolean): void
  missing(config: string): void
  /** Failed health checks of the kubelet in a row. */
  kubelet(failures: number): void
  foreignPackages(node: string, count: number): void
}

export function daemonMetrics(metrics: Metrics, clock: Clock): DaemonMetrics {
  const os = metrics.gauge({
    name: 'mcd_host_os_and_version',
    help: 'Operating system of this node.',
    labels: ['os', 'version'],
  })
  const state = metrics.gauge({
    name: 'mcd_state',
    help: 'Time at which the node entered this state, in seconds since the epoch.',
    labels: ['state', 'reason'],
  })
  const update = metrics.gauge({
    name: 'mcd_update_state',
    help: 'Time at which the last update to this config ended, in seconds since the epoch; err is empty if it succeeded.',
    labels: ['config', 'err'],
  })
  const reboots = metrics.counter({
    name: 'mcd_reboots_failed_total',
    help: 'Number of reboot requests that failed.',
  })
  const pivots = metrics.gauge({
    name: 'mcd_pivot_errors_total',
    help: 'Number of consecutive failed changes of the operating system.',
  })
  const drift = metrics.gauge({
    name: 'mcd_config_drift',
    help: 'Time at which drift was detected on the disk, in seconds since the epoch; 0 without drift.',
  })
  const missing = metrics.counter({
    name: 'mcd_missing_mc',
    help: 'Number of times that a MachineConfig named by the Node did not exist.',
    labels: ['mc'],
  })
  const foreign = metrics.gauge({
    name: 'mcd_local_unsupported_packages',
    help: 'Number of packages added to or removed from the OS image that no config specifies.',
    labels: ['node'],
  })
  // Registered with the first health check: without one, 0 would look healthy.
  const kubelet = once(() =>
    metrics.gauge({
      name: 'mcd_kubelet_state',
      help: 'Number of consecutive failed health checks of the kubelet.',
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

/** Keeps one series at a time: setting a new one removes the old one. */
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
