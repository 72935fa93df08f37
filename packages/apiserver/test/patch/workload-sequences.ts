import {
  apply,
  complete,
  container,
  create,
  deployed,
  deployment,
  force,
  inTemplate,
  merge,
  podCondition,
  status,
  strategic,
  twice,
  update,
} from './requests.ts'
import type { Request } from './sequence.ts'

export const pods: readonly (readonly [string, ...Request[]])[] = [
  [
    'containers by name, images',
    create('k', { spec: { containers: [container('a'), container('b')] } }),
    strategic({ spec: { containers: [{ name: 'b', image: 'b:2' }] } }),
    strategic({
      spec: {
        '$setElementOrder/containers': [{ name: 'a' }, { name: 'b' }],
        containers: [{ name: 'a', image: 'a:2' }],
      },
    }),
    apply('x', { spec: { containers: [{ name: 'a', image: 'a:3' }] } }),
    apply('x', { spec: { containers: [{ name: 'a', image: 'a:3' }] } }, force),
  ],
  [
    'pod status',
    create('k', { spec: { containers: [container('a')] } }),
    strategic(
      {
        status: {
          phase: 'Running',
          podIPs: [{ ip: '10.0.0.1' }],
          podIP: '10.0.0.1',
          conditions: [podCondition('Ready', 'True')],
        },
      },
      status,
    ),
    strategic({ status: { conditions: [{ type: 'Ready', status: 'False' }] } }, status),
  ],
  [
    'tolerations only grow',
    create('k', {
      spec: { containers: [container('a')], tolerations: [{ operator: 'Exists' }] },
    }),
    strategic({
      spec: {
        tolerations: [{ operator: 'Exists' }, { key: 'b', operator: 'Exists' }],
      },
    }),
  ],
]

export const deployments: readonly (readonly [string, ...Request[]])[] = [
  [
    'rollout restart',
    create('kubectl-create', deployment([container('a')])),
    strategic({
      spec: {
        template: {
          metadata: {
            annotations: { 'kubectl.kubernetes.io/restartedAt': '2020-01-01T00:00:00Z' },
          },
        },
      },
    }),
  ],
  [
    'environment by name',
    create(
      'k',
      deployment([
        container('a', {
          env: [
            { name: 'X', value: '1' },
            { name: 'Y', value: '2' },
          ],
        }),
      ]),
    ),
    strategic(
      inTemplate([
        {
          name: 'a',
          env: [
            { name: 'X', value: '3' },
            { name: 'Z', value: '4' },
          ],
        },
      ]),
    ),
    strategic(inTemplate([{ name: 'a', env: [{ name: 'Y', $patch: 'delete' }] }])),
    strategic({
      spec: {
        template: {
          spec: {
            '$setElementOrder/containers': [{ name: 'a' }],
            containers: [
              {
                name: 'a',
                '$setElementOrder/env': [{ name: 'Z' }, { name: 'X' }],
                env: [{ name: 'X', value: '5' }],
              },
            ],
          },
        },
      },
    }),
  ],
  [
    'volumes keep only what they say',
    create('k', deployment([container('a')], { volumes: [{ name: 'v', emptyDir: {} }] })),
    strategic({
      spec: {
        template: {
          spec: {
            volumes: [
              { name: 'v', $retainKeys: ['name', 'hostPath'], hostPath: { path: '/x', type: '' } },
            ],
          },
        },
      },
    }),
    strategic({ spec: { template: { spec: { volumes: [{ name: 'w', emptyDir: {} }] } } } }),
  ],
  [
    'strategy with retained keys',
    create('k', deployment([container('a')], {}, { strategy: { type: 'RollingUpdate' } })),
    strategic({ spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } }),
  ],
  [
    'containers are replaced and deleted',
    create('k', deployment([container('a'), container('b')])),
    strategic(inTemplate([{ name: 'a', $patch: 'delete' }])),
    strategic(inTemplate([{ $patch: 'replace' }, container('c', complete)])),
  ],
  [
    'apply by two, ports with a default key',
    apply(
      'a',
      deployment([
        container('a', { ports: [{ containerPort: 80 }, { containerPort: 80, protocol: 'UDP' }] }),
      ]),
    ),
    apply('b', {
      spec: {
        replicas: 3,
        template: { spec: { containers: [{ name: 'a', env: [{ name: 'X', value: '1' }] }] } },
      },
    }),
    apply('a', deployment([container('a', { ports: [{ containerPort: 80 }] })])),
    apply('c', { spec: { replicas: 4, selector: { matchLabels: { app: 'x' } } } }),
    apply('b', { spec: { replicas: 3 } }),
    apply('b', {}),
  ],
  [
    'apply: order of containers',
    apply('a', deployment([container('a'), container('b')])),
    apply('b', inTemplate([container('c'), container('b')])),
    apply('b', inTemplate([container('b'), container('a')])),
    apply('a', deployment([container('b'), container('a')])),
  ],
  [
    'apply: node selector is atomic',
    apply('a', deployment([container('a')], { nodeSelector: { x: '1' } })),
    apply('b', { spec: { template: { spec: { nodeSelector: { y: '1' } } } } }),
    apply('b', { spec: { template: { spec: { nodeSelector: { y: '1' } } } } }, force),
  ],
  [
    'the same key twice in an update',
    create('k', deployment([container('a', { env: [{ name: 'X', value: '1' }] })])),
    update('u', deployment([container('a', { env: twice })])),
    apply('x', inTemplate([{ name: 'a', env: [{ name: 'Y', value: '1' }] }])),
    update('v', deployment([container('a', { env: [{ name: 'X', value: '1' }] })])),
  ],
  [
    'the same key twice, strategic',
    create('k', deployment([container('a', { env: [...twice, { name: 'Y', value: '1' }] })])),
    strategic(inTemplate([{ name: 'a', env: [{ name: 'Y', value: '2' }] }])),
    strategic(inTemplate([{ name: 'a', env: [{ name: 'X', value: '3' }] }])),
    strategic(inTemplate([{ name: 'a', env: [{ name: 'X', $patch: 'delete' }] }])),
  ],
  [
    'deployment status',
    create('k', deployment([container('a')])),
    merge(
      'c',
      { metadata: { labels: { a: 'b' }, annotations: { c: 'd' } }, status: { replicas: 1 } },
      status,
    ),
    strategic({ status: { conditions: [deployed('Available', 'True')] } }, status),
    strategic({ status: { conditions: [deployed('Progressing', 'True')] } }, status),
  ],
  [
    'resources are maps',
    apply('a', deployment([container('a', { resources: { limits: { cpu: '1' } } })])),
    apply('b', inTemplate([{ name: 'a', resources: { limits: { memory: '1Gi' } } }])),
    apply('a', deployment([container('a')])),
  ],
  ['apply: the same key twice', apply('a', deployment([container('a'), container('a')]))],
  ['apply: no key', apply('a', deployment([{ image: 'x' }]))],
]

export const others: readonly (readonly [string, string, ...Request[]])[] = [
  [
    'Service',
    'ports by number and protocol',
    create('k', {
      spec: {
        ports: [
          { name: 'a', port: 80 },
          { name: 'b', port: 81 },
        ],
      },
    }),
    strategic({ spec: { ports: [{ port: 80, targetPort: 8080 }] } }),
    apply('x', { spec: { ports: [{ name: 'c', port: 82 }], selector: { a: 'b' } } }),
    apply('y', { spec: { selector: { c: 'd' } } }),
    apply('x', {}),
  ],
  [
    'ServiceAccount',
    'secrets by name, pull secrets whole',
    create('k', { secrets: [{ name: 'a' }], imagePullSecrets: [{ name: 'p' }] }),
    strategic({ secrets: [{ name: 'b' }], imagePullSecrets: [{ name: 'q' }] }),
    apply('x', { secrets: [{ name: 'c' }] }),
  ],
  [
    'Namespace',
    'finalizers of the spec',
    create('k', {}),
    strategic({ metadata: { labels: { a: 'b' } } }),
    apply('x', { metadata: { annotations: { c: 'd' } } }),
  ],
  [
    'PodDisruptionBudget',
    'selector is replaced',
    create('k', { spec: { minAvailable: 1, selector: { matchLabels: { a: '1' } } } }),
    strategic({ spec: { minAvailable: 2 } }),
    strategic({ spec: { selector: { matchLabels: { b: '1' } } } }),
    apply('x', { spec: { selector: { matchLabels: { c: '1' } } } }),
  ],
  [
    'ClusterRole',
    'rules are atomic',
    create('k', { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] }),
    strategic({ rules: [{ apiGroups: [''], resources: ['nodes'], verbs: ['get'] }] }),
    apply('x', { rules: [{ apiGroups: [''], resources: ['nodes'], verbs: ['list'] }] }),
  ],
  [
    'DaemonSet',
    'update strategy and node selector',
    create('k', deployment([container('a')], { nodeSelector: { a: '1' } })),
    strategic({
      spec: {
        template: {
          spec: { nodeSelector: { b: '1' }, tolerations: [{ key: 'x', operator: 'Exists' }] },
        },
      },
    }),
    strategic({
      spec: { template: { spec: { tolerations: [{ key: 'y', operator: 'Exists' }] } } },
    }),
  ],
]
