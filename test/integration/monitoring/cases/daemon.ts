import type { SeriesValues } from '../firing.ts'
import type { RuleCases } from './rule-cases.ts'

/** Two pools of five nodes, of which some are unavailable, and the number of daemons that report metrics. */
const fleet = (unavailable: number, heard: number): SeriesValues => ({
  'mco_machine_count{pool="master"}': 3,
  'mco_machine_count{pool="worker"}': 2,
  'mco_unavailable_machine_count{pool="master"}': 0,
  'mco_unavailable_machine_count{pool="worker"}': unavailable,
  ...Object.fromEntries(
    Array.from({ length: heard }, (_, i) => [`mcd_config_drift{node="n${i}"}`, 0]),
  ),
})
const silent = 'MachinistDaemonsSilent warning'

export const daemonCases: RuleCases = {
  file: 'daemon',
  alerts: [
    'MCDRebootError critical',
    'MCDPivotError warning',
    'MachinistConfigDrift warning',
    'KubeletHealthState warning',
    silent,
  ],
  names: ['node'],
  cases: {
    'a machine that reboots': [{ mcd_reboots_failed_total: 0 }],
    'a machine that does not reboot': [
      { mcd_reboots_failed_total: '0x20 0+1x180' },
      'MCDRebootError critical',
    ],
    'a machine that did not reboot an hour ago': [{ mcd_reboots_failed_total: '0x20 3x180' }],
    'an OS that changes': [{ mcd_pivot_errors_total: 0 }],
    'an OS that does not change': [{ mcd_pivot_errors_total: 1 }, 'MCDPivotError warning'],
    'a disk as it should be': [{ mcd_config_drift: 0 }],
    'a disk that was changed': [
      { mcd_config_drift: 1_700_000_000 },
      'MachinistConfigDrift warning',
    ],
    'a kubelet that missed twice': [{ mcd_kubelet_state: 2 }],
    'a kubelet that missed three times': [{ mcd_kubelet_state: 3 }, 'KubeletHealthState warning'],
  },
  alone: {
    'all daemons are heard': [fleet(0, 5)],
    'that of a node that is off is not': [fleet(1, 4)],
    'that of a node in service is not': [fleet(1, 3), silent],
    'none is': [fleet(0, 0), silent],
  },
  whenSilent: [],
}
