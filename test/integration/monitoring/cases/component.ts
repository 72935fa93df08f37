import type { SeriesValues } from '../firing.ts'
import type { RuleCases } from './rule-cases.ts'

const [controller, operator, signer] = [
  'MachinistNoController critical',
  'MachinistNoOperator warning',
  'MachinistNoSigner warning',
]
const leads = (controllers: number, operators: number, signers: number): SeriesValues => ({
  'leader_election_master_status{name="machine-config-controller",pod="a"}': controllers,
  'leader_election_master_status{name="machine-config-controller",pod="b"}': 0,
  'leader_election_master_status{name="machine-config"}': operators,
  'leader_election_master_status{name="machinist-signer"}': signers,
})
const works = (errors: string, terminal: string, good: string): SeriesValues => ({
  controller_runtime_reconcile_errors_total: errors,
  controller_runtime_terminal_reconcile_errors_total: terminal,
  'controller_runtime_reconcile_total{result="error"}': errors,
  'controller_runtime_reconcile_total{result="success"}': good,
  'controller_runtime_reconcile_total{result="requeue_after"}': '0x200',
})

export const componentCases: RuleCases = {
  file: 'component',
  alerts: [
    controller,
    operator,
    signer,
    'MachinistOperatorTaskFailing warning',
    'MachinistWorkStuck warning',
    'MachinistControllerFailing warning',
    'MachinistProgramMistake warning',
    'MachinistHearsNothing warning',
  ],
  names: ['task', 'name', 'controller', 'resource'],
  cases: {
    'all lead': [leads(1, 1, 1)],
    'a task in order': [{ machinist_operator_task_failing: 0 }],
    'a task that fails': [
      { machinist_operator_task_failing: 1 },
      'MachinistOperatorTaskFailing warning',
    ],
    'work for ten minutes': [{ workqueue_longest_running_processor_seconds: 600 }],
    'work for longer': [
      { workqueue_longest_running_processor_seconds: 601 },
      'MachinistWorkStuck warning',
    ],
    'an update of a node': [
      { 'workqueue_longest_running_processor_seconds{name="node-daemon"}': 3000 },
    ],
    'a controller that succeeds now and then': [works('0+1x200', '0x200', '0x100 1x100')],
    'a controller that never succeeds': [
      works('0+1x200', '0x200', '5x200'),
      'MachinistControllerFailing warning',
    ],
    'a controller that a person has to help': [works('0+1x200', '0+1x200', '5x200')],
    'a controller at rest': [works('5x200', '0x200', '5x200')],
    'no mistake': [{ controller_runtime_reconcile_panics_total: 0 }],
    'a mistake in the last hour': [
      { controller_runtime_reconcile_panics_total: '0x80 1x120' },
      'MachinistProgramMistake warning',
    ],
    'a mistake before that': [{ controller_runtime_reconcile_panics_total: '0x20 1x180' }],
    'news every minute': [{ machinist_informer_last_event_timestamp_seconds: '0+60x200' }],
    'no news for 14 minutes': [
      { machinist_informer_last_event_timestamp_seconds: '0+60x106 6360x100' },
    ],
    'no news for half an hour': [
      { machinist_informer_last_event_timestamp_seconds: '0+60x90 5400x110' },
      'MachinistHearsNothing warning',
    ],
  },
  alone: {
    'nobody leads the controllers': [leads(0, 1, 1), controller],
    'nobody leads the operator': [leads(1, 0, 1), operator],
    'nobody leads the signer': [leads(1, 1, 0), signer],
  },
  whenSilent: [controller, operator, signer],
}
