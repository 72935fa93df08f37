import { describe, expect, it } from 'vitest'
import { Metrics } from '@machinist/core/metrics'
import { VirtualClock } from '@machinist/core/virtual-clock'
import type { DaemonMetrics } from '../../../../src/daemon/report/daemon-metrics.ts'
import { daemonMetrics } from '../../../../src/daemon/report/daemon-metrics.ts'
import { osCapabilities } from '../../../../src/planner/os-capabilities.ts'

function told(tell: (numbers: DaemonMetrics) => void): string[] {
  const metrics = new Metrics()
  tell(daemonMetrics(metrics, new VirtualClock(1_700_000_000_500)))
  return metrics
    .text()
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
}

const nothing = ['mcd_reboots_failed_total 0', 'mcd_pivot_errors_total 0', 'mcd_config_drift 0']
const other = (lines: readonly string[]): string[] =>
  lines.filter((line) => !nothing.includes(line))

describe('numbers', () => {
  it('are there from the start where nothing is good news', () => {
    expect(told(() => {}).toSorted()).toEqual(nothing.toSorted())
  })

  it.each<readonly [string, (numbers: DaemonMetrics) => void, readonly string[]]>([
    [
      'the OS',
      (numbers) =>
        numbers.os({
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
      (numbers) => {
        numbers.state('Working', '')
        numbers.state('Degraded', 'no space')
        numbers.state('Degraded', 'no space')
      },
      ['mcd_state{state="Degraded",reason="no space"} 1700000000'],
    ],
    [
      'how the last update ended',
      (numbers) => {
        numbers.updated('b', 'no space')
        numbers.updated('b', '')
      },
      ['mcd_update_state{config="b",err=""} 1700000000'],
    ],
    [
      'a reboot that was refused, twice',
      (numbers) => {
        numbers.rebootFailed()
        numbers.rebootFailed()
      },
      ['mcd_reboots_failed_total 2'],
    ],
    [
      'changes of the OS that failed in a row',
      (numbers) => {
        numbers.osChange(true)
        numbers.osChange(true)
      },
      ['mcd_pivot_errors_total 2'],
    ],
    [
      'one that went well after that',
      (numbers) => {
        numbers.osChange(true)
        numbers.osChange(false)
      },
      [],
    ],
    ['drift', (numbers) => numbers.drifted(true), ['mcd_config_drift 1700000000']],
    ['a config that is not there', (numbers) => numbers.missing('b'), ['mcd_missing_mc{mc="b"} 1']],
    ['a kubelet that is silent', (numbers) => numbers.kubelet(3), ['mcd_kubelet_state 3']],
    [
      'packages that nobody asked for',
      (numbers) => numbers.foreignPackages('worker-1', 2),
      ['mcd_local_unsupported_packages{node="worker-1"} 2'],
    ],
  ])('tell of %s', (_, tell, lines) => {
    expect(other(told(tell))).toEqual(lines)
  })
})
