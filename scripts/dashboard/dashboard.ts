import { components } from './components.ts'
import { glance, machines, pools } from './config-lane.ts'
import { layOut } from './panel.ts'
import { server } from './server.ts'
import { rotations, trust } from './trust-lane.ts'

/** The dashboard in the format of Grafana. */
export function dashboard(): object {
  return {
    uid: 'machinist',
    title: 'Machinist',
    description: 'Pools, rollouts, nodes, trust and the components themselves. docs/monitoring.md',
    tags: ['machinist'],
    editable: true,
    schemaVersion: 39,
    version: 1,
    refresh: '1m',
    time: { from: 'now-6h', to: 'now' },
    timezone: 'browser',
    graphTooltip: 1,
    templating: { list: variables },
    annotations: { list: [] },
    panels: layOut([glance, pools, machines, trust, rotations, server, components]),
  }
}

const variables = [
  { name: 'datasource', label: 'Prometheus', type: 'datasource', query: 'prometheus' },
  {
    name: 'pool',
    label: 'Pool',
    type: 'query',
    datasource: { type: 'prometheus', uid: '${datasource}' },
    query: { query: 'label_values(mco_machine_count, pool)', refId: 'pool' },
    refresh: 2,
    sort: 1,
    multi: true,
    includeAll: true,
    allValue: '.*',
    current: { text: 'All', value: '$__all' },
  },
]
