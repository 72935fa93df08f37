import { describe, expect, it } from 'vitest'
import { Metrics } from '@machinist/core/metrics'
import { VirtualClock } from '@machinist/core/virtual-clock'
import type { DaemonMetrics } from '../../../../src/daemon/report/daemon-metrics.ts'
import { daemonMetrics } from '../../../../src/daemon/report/daemon-metrics.ts'
import { osCapabilities } from '../../../../src/planner/model/os-capabilities.ts'

function exposed(report: (metrics: DaemonMetrics) => void): string[] {
  const metrics = new Metrics()
  report(daemonMetrics(metrics, new VirtualClock(1_700_000_000_500)))
  return metrics
    .text()
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
}

const nothing = ['mcd_reboots_failed_total 0', 'mcd_pivot_errors_total 0', 'mcd_config_drift 0']
const other = (lines: readonly string[]): string[] =>
  lines.filter((line) => !nothing.includes(line))

describe('the metrics', () => {
  it('include zero values from the start', () => {
    expect(exposed(() => {}).toSorted()).toEqual(nothing.toSorted())
  })

  it.each<readonly [string, (metrics: DaemonMetrics) => void, readonly string[]]>([
    [
      'the OS',
      (metrics) =>
        metrics.os({
          id: 'rhcos',
          versionId: '9.4',
          variantId: 'coreos',
          architecture: 'x86_64',
          changes: osCapabilities['rpm-ostree'],
        }),
      ['mcd_host_os_and_version{os="rhcos",version="9.4"} 1'],
    ],
    [
      'a state, and only the last one',
      (metrics) => {
        metrics.state('Working', '')
        metrics.state('Degraded', 'no space')
        metrics.state('Degraded', 'no space')
      },
      ['mcd_state{state="Degraded",reason="no space"} 1700000000'],
    ],
    [
      'how the last update ended',
      (metrics) => {
        metrics.updated('b', 'no space')
        metrics.updated('b', '')
      },
      ['mcd_update_state{config="b",err=""} 1700000000'],
    ],
    [
      'failed reboots',
      (metrics) => {
        metrics.rebootFailed()
        metrics.rebootFailed()
      },
      ['mcd_reboots_failed_total 2'],
    ],
    [
      'changes of the OS that failed in a row',
      (metrics) => {
        metrics.osChange(true)
        metrics.osChange(true)
      },
      ['mcd_pivot_errors_total 2'],
    ],
    [
      'a successful change after a failed one',
      (metrics) => {
        metrics.osChange(true)
        metrics.osChange(false)
      },
      [],
    ],
    ['drift', (metrics) => metrics.drifted(true), ['mcd_config_drift 1700000000']],
    ['a missing config', (metrics) => metrics.missing('b'), ['mcd_missing_mc{mc="b"} 1']],
    ['an unhealthy kubelet', (metrics) => metrics.kubelet(3), ['mcd_kubelet_state 3']],
    [
      'packages that no config specifies',
      (metrics) => metrics.foreignPackages('worker-1', 2),
      ['mcd_local_unsupported_packages{node="worker-1"} 2'],
    ],
  ])('expose %s', (_, report, lines) => {
    expect(other(exposed(report))).toEqual(lines)
  })
})
