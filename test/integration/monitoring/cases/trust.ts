import type { SeriesValues } from '../firing.ts'
import type { RuleCases } from './rule-cases.ts'

const day = 86_400
const ends = (days: number): SeriesValues => ({
  machinist_trust_runs_out_seconds: 7200 + days * day,
})
const paused = (days: number): SeriesValues => ({
  machine_config_controller_paused_pool_kubelet_ca: days === 0 ? 0 : 7200 + days * day,
})
const lag = (seconds: number): SeriesValues => ({ machinist_trust_oldest_lag_seconds: seconds })
const held = 'MachineConfigControllerPausedPoolKubeletCA'

export const trustCases: RuleCases = {
  file: 'trust',
  alerts: [
    'MachinistTrustEndsIn30Days info',
    'MachinistTrustEndsIn14Days warning',
    'MachinistTrustEndsIn3Days critical',
    'MachinistTrustNodesLag warning',
    'MachinistTrustNodesFailed warning',
    'MachinistTrustUnwatched warning',
    'MachinistInputBad warning',
    'MachineConfigControllerPausedPoolKubeletCA warning',
    'MachineConfigControllerPausedPoolKubeletCA critical',
  ],
  names: ['item', 'input', 'pool'],
  labels: { state: 'Failed' },
  cases: {
    '31 days left': [ends(31)],
    '29 days left': [ends(29), 'MachinistTrustEndsIn30Days info'],
    '13 days left': [ends(13), 'MachinistTrustEndsIn14Days warning'],
    '2 days left': [ends(2), 'MachinistTrustEndsIn3Days critical'],
    'a certificate that ended': [ends(-1), 'MachinistTrustEndsIn3Days critical'],
    'a node that lags for a minute': [lag(60)],
    'a node that lags for half an hour': [lag(1801), 'MachinistTrustNodesLag warning'],
    'a node that failed': [{ machinist_trust_nodes: 1 }, 'MachinistTrustNodesFailed warning'],
    'no node that failed': [{ machinist_trust_nodes: 0 }],
    'an input that is degraded': [
      { machinist_operator_input_degraded: 1 },
      'MachinistInputBad warning',
    ],
    'a good input': [{ machinist_operator_input_degraded: 0 }],
    'a pool that holds nothing': [paused(0)],
    'a pool that holds a CA with 20 days left': [paused(20), `${held} warning`],
    'a pool that holds one with 13 days left': [paused(13), `${held} critical`, `${held} warning`],
  },
  whenSilent: ['MachinistTrustUnwatched warning'],
}
