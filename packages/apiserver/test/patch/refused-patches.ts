import { create, owner } from './requests.ts'
import type { Request, Sequence } from './sequence.ts'

/** Single patches that the server rejects, each for its own existing object. */
export const rejected: readonly Sequence[] = [
  ...(
    [
      ['test fails', [{ op: 'test', path: '/data/x', value: '2' }]],
      ['test of a missing key', [{ op: 'test', path: '/data/none', value: '2' }]],
      ['test of a missing parent', [{ op: 'test', path: '/none/none', value: '2' }]],
      ['test null of a missing key', [{ op: 'test', path: '/data/none', value: null }]],
      ['remove of a missing key', [{ op: 'remove', path: '/data/none' }]],
      ['remove of a missing parent', [{ op: 'remove', path: '/none/none' }]],
      ['replace of a missing key', [{ op: 'replace', path: '/data/none', value: '1' }]],
      ['replace of a missing parent', [{ op: 'replace', path: '/none/none', value: '1' }]],
      ['add below a missing parent', [{ op: 'add', path: '/none/none', value: '1' }]],
      ['add below text', [{ op: 'add', path: '/data/x/y', value: '1' }]],
      ['index out of bounds', [{ op: 'add', path: '/metadata/finalizers/7', value: 'x.io/z' }]],
      ['index is no number', [{ op: 'add', path: '/metadata/finalizers/x', value: 'x.io/z' }]],
      ['remove an index out of bounds', [{ op: 'remove', path: '/metadata/finalizers/7' }]],
      ['remove the end', [{ op: 'remove', path: '/metadata/finalizers/-' }]],
      [
        'replace an index out of bounds',
        [{ op: 'replace', path: '/metadata/finalizers/7', value: 'x.io/z' }],
      ],
      [
        'negative index too small',
        [{ op: 'add', path: '/metadata/finalizers/-9', value: 'x.io/z' }],
      ],
      ['copy from a missing key', [{ op: 'copy', from: '/data/none', path: '/data/y' }]],
      ['copy to a missing parent', [{ op: 'copy', from: '/data/x', path: '/none/y' }]],
      ['move from a missing key', [{ op: 'move', from: '/data/none', path: '/data/y' }]],
      ['move from a missing parent', [{ op: 'move', from: '/none/none', path: '/data/y' }]],
      ['move to a missing parent', [{ op: 'move', from: '/data/x', path: '/none/y' }]],
      ['an unknown operation', [{ op: 'frobnicate', path: '/data/x' }]],
      ['no operation', [{ path: '/data/x' }]],
      ['no path', [{ op: 'add', value: '1' }]],
      ['no value', [{ op: 'add', path: '/data/y' }]],
      ['replace without a value', [{ op: 'replace', path: '/data/x' }]],
      ['test without a value', [{ op: 'test', path: '/data/x' }]],
      ['no from', [{ op: 'copy', path: '/data/y' }]],
      ['a path without a slash', [{ op: 'add', path: 'data/y', value: '1' }]],
      ['the root', [{ op: 'remove', path: '' }]],
      ['replace the root', [{ op: 'replace', path: '', value: {} }]],
      ['replace the root by text', [{ op: 'replace', path: '', value: 'x' }]],
      ['not a list', { op: 'add', path: '/data/y', value: '1' }],
      ['not a list of objects', ['x']],
      ['null', null],
      ['text', 'x'],
      ['a number as path', [{ op: 'add', path: 7, value: '1' }]],
      ['a number as operation', [{ op: 7, path: '/data/x', value: '1' }]],
    ] as const
  ).map(([name, body]) => error('ConfigMap', `json: ${name}`, 'json', body)),
  ...(
    [
      ['a list', [1]],
      ['text', 'x'],
      ['null', null],
      ['a number', 7],
    ] as const
  ).flatMap(([name, body]) => [
    error('ConfigMap', `merge: ${name}`, 'merge', body),
    error('ConfigMap', `strategic: ${name}`, 'strategic', body),
    error('ConfigMap', `apply: ${name}`, 'apply', body),
    error('MachineConfigPool', `merge to a custom resource: ${name}`, 'merge', body),
  ]),
  ...(
    [
      ['an unknown directive', { data: { $patch: 'frobnicate' } }],
      ['the directive merge in a map', { data: { $patch: 'merge' } }],
      [
        'an unknown directive in a list',
        { metadata: { ownerReferences: [{ $patch: 'frobnicate', uid: 'u' }] } },
      ],
      ['merge in a list', { metadata: { ownerReferences: [{ $patch: 'merge', uid: 'u' }] } }],
      ['no merge key', { metadata: { ownerReferences: [{ name: 'x' }] } }],
      ['delete without a merge key', { metadata: { ownerReferences: [{ $patch: 'delete' }] } }],
      ['retained keys that are no list', { data: { $retainKeys: 'x' } }],
      ['retained keys without a patched one', { data: { $retainKeys: ['x'], y: '1' } }],
      ['an order that is no list', { metadata: { '$setElementOrder/finalizers': 'x' } }],
      [
        'an order without a patched one',
        { metadata: { '$setElementOrder/finalizers': ['x.io/a'], finalizers: ['x.io/z'] } },
      ],
      [
        'an order of objects without keys',
        {
          metadata: {
            '$setElementOrder/ownerReferences': [{ name: 'x' }],
            ownerReferences: [{ uid: 'u', name: 'z' }],
          },
        },
      ],
      ['different types in a list', { metadata: { finalizers: ['a', 1] } }],
      ['objects in a list of text', { metadata: { finalizers: [{ a: 1 }] } }],
    ] as const
  ).map(([name, body]) => error('ConfigMap', `strategic: ${name}`, 'strategic', body)),
  {
    ...error('ConfigMap', 'apply without a manager', 'apply', {}),
    steps: [{ verb: 'apply', body: {} }],
  },
  error('MachineConfigPool', 'strategic to a custom resource', 'strategic', { spec: {} }),
]

function error(kind: string, name: string, verb: Request['verb'], body: unknown): Sequence {
  const first =
    kind === 'ConfigMap'
      ? create('c', {
          data: { x: '1' },
          metadata: { finalizers: ['x.io/a', 'x.io/b'], ownerReferences: [owner('1')] },
        })
      : create('c', { spec: {} })
  return { kind, name, steps: [first, { verb, manager: 'm', body }] }
}
