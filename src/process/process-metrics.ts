import { systemClock } from '@machinist/core/clock'
import { Metrics } from '@machinist/core/metrics'
import { version } from './version.ts'

/** `performance.timeOrigin` would cost a megabyte of memory on every node. */
const startedAt = systemClock.now() / 1000 - process.uptime()

/** The standard process metrics of Prometheus, with their current values. */
export function processMetrics(): string {
  const metrics = new Metrics()
  metrics
    .gauge({
      name: 'process_resident_memory_bytes',
      help: 'Resident memory size in bytes.',
    })
    .set({}, process.memoryUsage.rss())
  const { user, system } = process.cpuUsage()
  metrics
    .counter({
      name: 'process_cpu_seconds_total',
      help: 'Total user and system CPU time spent in seconds.',
    })
    .add({}, (user + system) / 1e6)
  metrics
    .gauge({
      name: 'process_start_time_seconds',
      help: 'Start time of the process since the epoch in seconds.',
    })
    .set({}, startedAt)
  metrics
    .gauge({ name: 'machinist_build_info', help: 'Version of Machinist.', labels: ['version'] })
    .set({ version }, 1)
  return metrics.text()
}
