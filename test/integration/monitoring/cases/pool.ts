import type { SeriesValues } from '../firing.ts'
import type { RuleCases } from './rule-cases.ts'

const degraded = (condition: string): SeriesValues => ({
  [`machinist_pool_degraded{condition="${condition}"}`]: 1,
  mco_degraded_machine_count: 2,
})
const rollout = (state: string, updated: number | string = 3): SeriesValues => ({
  [`machinist_pool_rollout{state="${state}"}`]: 1,
  mco_updated_machine_count: updated,
})
const registries = 'machinist_pool_degraded{condition="machinist.dev/ImageConfigDegraded"}'

export const poolCases: RuleCases = {
  file: 'pool',
  alerts: [
    'MachinistPoolDegraded warning',
    'MachinistRenderDegraded warning',
    'MachinistRenderWaiting warning',
    'MachinistRolloutStuck warning',
    'MachinistRolloutNoProgress warning',
    'MCCDrainError warning',
    'MCCPoolAlert warning',
    'MachinistTemplatesFailing warning',
    'MachinistSettingsFailing warning',
    'MachinistImageConfigDegraded warning',
    'MachinistPinnedImagesFailing warning',
  ],
  names: ['pool', 'node', 'role', 'name'],
  labels: { kind: 'KubeletConfig' },
  cases: {
    'a pool in order': [
      { ...rollout('Updated'), 'machinist_pool_degraded{condition="NodeDegraded"}': 0 },
    ],
    'nodes that failed': [degraded('NodeDegraded'), 'MachinistPoolDegraded warning'],
    'a selector nobody understands': [
      degraded('SelectionDegraded'),
      'MachinistPoolDegraded warning',
    ],
    'MachineConfigs that do not go together': [
      degraded('RenderDegraded'),
      'MachinistRenderDegraded warning',
    ],
    'MachineConfigs on their way': [{ machinist_pool_render_waiting: 0 }],
    'MachineConfigs that wait for others': [
      { machinist_pool_render_waiting: 1 },
      'MachinistRenderWaiting warning',
    ],
    'images that cannot be kept': [degraded('PinnedImageSetsDegraded')],
    'a rollout in somebody’s way': [rollout('Blocked'), 'MachinistRolloutStuck warning'],
    'a rollout that was stopped': [rollout('StoppedByFailures'), 'MachinistRolloutStuck warning'],
    'an image that cannot be built': [rollout('ImageBuildFailed'), 'MachinistRolloutStuck warning'],
    'a pool that is paused': [rollout('Paused')],
    'a rollout without progress': [rollout('Progressing'), 'MachinistRolloutNoProgress warning'],
    'an image that is built for ever': [
      rollout('WaitingForImage'),
      'MachinistRolloutNoProgress warning',
    ],
    'a rollout with a node an hour': [rollout('Progressing', '3x50 4x60 5x90')],
    'images on their way': [{ 'machinist_pinned_images_nodes_behind{state="pending"}': 3 }],
    'images that nodes cannot get': [
      { 'machinist_pinned_images_nodes_behind{state="failed"}': 1 },
      'MachinistPinnedImagesFailing warning',
    ],
    'a drain in time': [{ mcc_drain_err: 0 }],
    'a drain that takes too long': [{ mcc_drain_err: 1 }, 'MCCDrainError warning'],
    'a control plane node with a custom role': [{ mcc_pool_alert: 1 }, 'MCCPoolAlert warning'],
    'templates in order': [{ machinist_templates_failing: 0 }],
    'templates that fail': [
      { machinist_templates_failing: 1 },
      'MachinistTemplatesFailing warning',
    ],
    'good settings': [{ machinist_settings_failing: 0 }],
    'settings that fail': [{ machinist_settings_failing: 1 }, 'MachinistSettingsFailing warning'],
    'settings of credential providers that fail': [
      { 'machinist_settings_failing{kind="CRIOCredentialProviderConfig"}': 1 },
      'MachinistSettingsFailing warning',
    ],
    'a setting of registries': [{ 'machinist_settings_failing{kind="Image"}': 1 }],
  },
  alone: {
    'good registries': [{ [registries]: 0 }],
    'registries that cannot be used': [{ [registries]: 1 }, 'MachinistImageConfigDegraded warning'],
  },
  whenSilent: [],
}
