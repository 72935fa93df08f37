import {
  apply,
  condition,
  create,
  force,
  json,
  merge,
  status,
  strategic,
  taint,
} from './requests.ts'
import type { Request } from './sequence.ts'

export const nodes: readonly (readonly [string, ...Request[]])[] = [
  [
    'cordon',
    create('k', { spec: {} }),
    strategic({ spec: { unschedulable: true } }),
    strategic({ spec: { unschedulable: null } }),
  ],
  [
    'taints are replaced whole',
    create('k', { spec: { taints: [taint('a')] } }),
    strategic({ spec: { taints: [taint('b')] } }),
    strategic({ spec: { taints: [taint('b'), taint('c')] } }),
    strategic({ spec: { taints: null } }),
  ],
  [
    'taints are atomic for apply',
    apply('a', { spec: { taints: [taint('a')] } }),
    apply('b', { spec: { taints: [taint('a'), taint('b')] } }),
    apply('b', { spec: { taints: [taint('a'), taint('b')] } }, force),
    apply('a', { spec: {} }),
  ],
  [
    'conditions by type, strategic',
    create('k', {}),
    strategic(
      { status: { conditions: [condition('Ready', 'False'), condition('Disk', 'False')] } },
      status,
    ),
    strategic({ status: { conditions: [{ type: 'Ready', status: 'True' }] } }, status),
    strategic(
      {
        status: {
          '$setElementOrder/conditions': [{ type: 'Disk' }, { type: 'New' }, { type: 'Ready' }],
          conditions: [condition('New', 'True')],
        },
      },
      status,
    ),
    strategic({ status: { conditions: [{ $patch: 'delete', type: 'Disk' }] } }, status),
    strategic(
      { status: { conditions: [{ $patch: 'replace' }, condition('Only', 'True')] } },
      status,
    ),
  ],
  [
    'the order of conditions',
    create('k', {}),
    strategic(
      { status: { conditions: ['A', 'B', 'C', 'D'].map((type) => condition(type, 'True')) } },
      status,
    ),
    strategic(
      {
        status: {
          '$setElementOrder/conditions': [{ type: 'D' }, { type: 'N' }, { type: 'B' }],
          conditions: [condition('N', 'True')],
        },
      },
      status,
    ),
    strategic(
      { status: { '$setElementOrder/conditions': [{ type: 'C' }, { type: 'A' }] } },
      status,
    ),
    strategic(
      {
        status: {
          conditions: [condition('B', 'False'), condition('M', 'True'), condition('A', 'False')],
        },
      },
      status,
    ),
  ],
  [
    'conditions by type, apply',
    create('k', {}),
    apply('a', { status: { conditions: [condition('Ready', 'False')] } }, status),
    apply('b', { status: { conditions: [condition('Disk', 'False')] } }, status),
    apply('b', { status: { conditions: [condition('Ready', 'True')] } }, status),
    apply('a', { status: {} }, status),
  ],
  [
    'addresses and capacity',
    create('k', {}),
    strategic(
      {
        status: {
          addresses: [{ type: 'InternalIP', address: '10.0.0.1' }],
          capacity: { cpu: '4' },
        },
      },
      status,
    ),
    strategic(
      { status: { addresses: [{ type: 'Hostname', address: 'n' }], capacity: { memory: '1Gi' } } },
      status,
    ),
    merge('m', { status: { capacity: { cpu: '5' } } }, status),
  ],
  [
    'status does not reach the spec',
    create('k', { spec: { podCIDR: '10.1.0.0/24', podCIDRs: ['10.1.0.0/24'] } }),
    merge(
      'kubelet',
      {
        spec: { unschedulable: true },
        status: { phase: 'Running' },
        metadata: { annotations: { s: '1' } },
      },
      status,
    ),
    merge('m', { status: { phase: 'Pending' }, metadata: { annotations: { t: '1' } } }),
  ],
  [
    'labels and annotations, strategic',
    create('k', { metadata: { labels: { a: '1', b: '2' } } }),
    strategic({ metadata: { labels: { a: null, c: '3' }, annotations: { x: 'y' } } }),
    strategic({ metadata: { labels: { $patch: 'replace', only: '1' } } }),
    strategic({ metadata: { labels: { $patch: 'delete' } } }),
    strategic({ metadata: { $retainKeys: ['name', 'annotations'], annotations: { z: '1' } } }),
  ],
  [
    'finalizers, strategic',
    create('k', { metadata: { finalizers: ['x.io/a', 'x.io/b'] } }),
    strategic({ metadata: { finalizers: ['x.io/c'] } }),
    strategic({ metadata: { '$deleteFromPrimitiveList/finalizers': ['x.io/a'] } }),
    strategic({
      metadata: {
        '$setElementOrder/finalizers': ['x.io/c', 'x.io/d', 'x.io/b'],
        finalizers: ['x.io/d'],
      },
    }),
    strategic({ metadata: { finalizers: null } }),
  ],
  [
    'JSON patches',
    create('k', { metadata: { labels: { 'a/b': '1', c: '2' } } }),
    json([
      { op: 'add', path: '/metadata/labels/d', value: '3' },
      { op: 'remove', path: '/metadata/labels/a~1b' },
    ]),
    json([
      { op: 'test', path: '/metadata/labels/d', value: '3' },
      { op: 'replace', path: '/metadata/labels/d', value: '4' },
    ]),
    json([
      { op: 'copy', from: '/metadata/labels/d', path: '/metadata/labels/e' },
      { op: 'move', from: '/metadata/labels/c', path: '/metadata/labels/f' },
    ]),
    json([
      { op: 'add', path: '/spec/taints', value: [taint('a')] },
      { op: 'add', path: '/spec/taints/-', value: taint('c') },
      { op: 'add', path: '/spec/taints/1', value: taint('b') },
    ]),
    json([
      { op: 'remove', path: '/spec/taints/0' },
      { op: 'replace', path: '/spec/taints/-1', value: taint('z') },
    ]),
  ],
]
