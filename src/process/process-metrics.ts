import { systemClock } from '@machinist/core/clock'
import { Metrics } from '@machinist/core/metrics'
import { version } from './version.ts'

/** Not `performance.timeOrigin`: the first look at `performance` costs a megabyte, on every node. */
const startedAt = systemClock.now() / 1000 - process.uptime()

/** What this process takes of its machine, by the names that dashboards know from every other one; as it is just now. */
export function processMetrics(): string {
  const metrics = new Metrics()
  metrics
    .gauge({
      name: 'process_resident_memory_bytes',
      help: 'Memory that the process has, as the kernel counts it.',
    })
    .set({}, process.memoryUsage.rss())
  const { user, system } = process.cpuUsage()
  metrics
    .counter({ name: 'process_cpu_seconds_total', help: 'Processor time that it has taken.' })
    .add({}, (user + system) / 1e6)
  metrics
    .gauge({
      name: 'process_start_time_seconds',
      help: 'When it started, in seconds since the epoch.',
    })
    .set({}, startedAt)
  metrics
    .gauge({ name: 'machinist_build_info', help: 'Which Machinist it is.', labels: ['version'] })
    .set({ version }, 1)
  return metrics.text()
}
