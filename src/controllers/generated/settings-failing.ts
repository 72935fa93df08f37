import type { Gauge, Metrics } from '@machinist/core/metrics'

export type SettingsFailing = Gauge<'kind' | 'name'>

/** The metric of all controllers that generate MachineConfigs from settings. */
export function settingsFailing(metrics: Metrics): SettingsFailing {
  return metrics.gauge({
    name: 'machinist_settings_failing',
    help: '1 if an object with settings is invalid or not completely applied, else 0.',
    labels: ['kind', 'name'],
  })
}
