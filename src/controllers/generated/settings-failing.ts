import type { Gauge, Metrics } from '@machinist/core/metrics'

export type SettingsFailing = Gauge<'kind' | 'name'>

/** One for all controllers that make MachineConfigs of what users say. */
export function settingsFailing(metrics: Metrics): SettingsFailing {
  return metrics.gauge({
    name: 'machinist_settings_failing',
    help: 'Whether settings of a cluster cannot be turned into MachineConfigs, or not all of them.',
    labels: ['kind', 'name'],
  })
}
