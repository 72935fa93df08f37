import { apply, create, force, ignition, merge, poolCondition, status, update } from './requests.ts'
import type { Request } from './sequence.ts'

export const pools: readonly (readonly [string, ...Request[]])[] = [
  [
    'a selector is atomic',
    apply('mco', { spec: { machineConfigSelector: { matchLabels: { a: '1' } } } }),
    apply('b', { spec: { machineConfigSelector: { matchLabels: { b: '1' } } } }),
    apply('b', { spec: { machineConfigSelector: { matchLabels: { b: '1' } } } }, force),
    apply('mco', { spec: { paused: true } }),
  ],
  [
    'conditions by type',
    create('k', { spec: { paused: false } }),
    apply('a', { status: { conditions: [poolCondition('Updated', 'True')] } }, status),
    apply(
      'b',
      { status: { conditions: [poolCondition('Degraded', 'False')], machineCount: 3 } },
      status,
    ),
    apply('b', { status: { conditions: [poolCondition('Updated', 'False')] } }, status),
    merge('m', { status: { conditions: [poolCondition('Updated', 'False')] } }, status),
    apply('a', { status: {} }, status),
  ],
  [
    'status and spec are apart',
    create('k', { spec: { paused: false } }),
    merge(
      'm',
      { spec: { paused: true }, status: { machineCount: 1 }, metadata: { labels: { a: '1' } } },
      status,
    ),
    merge('m', {
      spec: { maxUnavailable: 2 },
      status: { machineCount: 2 },
      metadata: { labels: { a: '2' } },
    }),
    apply('s', { spec: { paused: true }, status: { machineCount: 1 } }),
    apply(
      's',
      { spec: { paused: true }, status: { machineCount: 7 }, metadata: { labels: { z: '1' } } },
      status,
    ),
    apply(
      's',
      { spec: { paused: true }, status: { machineCount: 7 }, metadata: { labels: { z: '1' } } },
      { ...status, ...force },
    ),
  ],
  [
    'pause by merge patch',
    create('k', { spec: {} }),
    merge('kubectl-patch', { spec: { paused: true } }),
    merge('kubectl-patch', { spec: { paused: null } }),
  ],
  ['an unknown field', apply('a', { spec: { bogus: 1 } })],
  ['an unknown field deep inside', apply('a', { spec: { configuration: { bogus: { a: 1 } } } })],
  ['a wrong type', apply('a', { spec: { paused: { a: 1 } } })],
  ['a wrong scalar', apply('a', { spec: { paused: 'yes' } })],
  ['a list instead of a map', apply('a', { spec: { configuration: [1] } })],
  [
    'int or string',
    apply('a', { spec: { maxUnavailable: 1 } }),
    apply('a', { spec: { maxUnavailable: '10%' } }),
    apply('b', { spec: { maxUnavailable: 2 } }),
  ],
  [
    'a status that goes as a whole',
    create('k', { spec: {} }),
    apply('a', { status: { machineCount: 1 } }, status),
    apply('a', {}, status),
  ],
  [
    'image sets by name',
    apply('a', { spec: { pinnedImageSets: [{ name: 'one' }, { name: 'two' }] } }),
    apply('b', { spec: { pinnedImageSets: [{ name: 'three' }, { name: 'one' }] } }),
    apply('a', { spec: { pinnedImageSets: [{ name: 'two' }] } }),
    merge('m', { spec: { pinnedImageSets: [{ name: 'two' }, { name: 'four' }] } }),
    apply('b', { spec: { paused: false } }),
    apply('b', { spec: { pinnedImageSets: [{ name: 'x' }, { name: 'x' }] } }),
    apply('b', { spec: { pinnedImageSets: [{}] } }),
    apply('b', { spec: { pinnedImageSets: [null] } }),
    apply('b', { spec: { pinnedImageSets: ['x'], bogus: 1 } }),
  ],
  [
    'a granular configuration',
    apply('a', { spec: { configuration: { name: 'x' } } }),
    apply('b', { spec: { configuration: { source: [{ name: 's', kind: 'MachineConfig' }] } } }),
    apply('b', { spec: {} }),
    apply('a', { spec: {} }),
  ],
]

export const configs: readonly (readonly [string, ...Request[]])[] = [
  [
    'unknown fields are followed too',
    apply('a', ignition('/x')),
    apply('b', { spec: { config: { systemd: { units: [{ name: 'u' }] }, extra: {} } } }),
    apply('b', ignition('/x', '/y')),
    apply('b', { spec: { config: { systemd: { units: [] } } } }),
    merge('m', { spec: { config: { storage: { files: null } }, kernelArguments: ['a'] } }),
    apply('a', {}),
  ],
  ['a spec that goes as a whole', apply('a', { spec: { osImageURL: 'x' } }), apply('a', {})],
  [
    'an unknown structure that goes',
    apply('a', ignition('/x')),
    apply('a', { spec: { osImageURL: 'x' } }),
    apply('a', { spec: { config: { a: { b: { c: 1 } }, d: {} } } }),
    apply('a', { spec: { config: { a: { b: {} } } } }),
  ],
  [
    'update of unknown fields',
    create('k', ignition('/x')),
    update('u', { spec: { config: { passwd: { users: [{ name: 'core' }] } } } }),
  ],
]
