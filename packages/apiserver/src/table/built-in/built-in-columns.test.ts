import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { builtInColumns } from './built-in-columns.ts'

const cells = (group: string, kind: string, object: Record<string, unknown>): unknown[] =>
  builtInColumns(group, kind).map(({ cell }) =>
    typeof cell === 'string' ? cell : cell(object, Date.parse('2026-01-02T03:04:05Z')),
  )

describe('builtInColumns', () => {
  it('has the creation time for kinds without columns', () => {
    const metadata = { creationTimestamp: '2026-01-01T00:00:00Z' }
    expect(cells('rbac.authorization.k8s.io', 'Role', { metadata })).toEqual([
      '2026-01-01T00:00:00Z',
    ])
    expect(cells('', 'constructor', {})).toEqual([null])
  })

  it.each([
    ['Pending', {}],
    ['Approved', { conditions: [{ type: 'Approved' }] }],
    ['Denied', { conditions: [{ type: 'Denied' }, { type: 'Approved' }] }],
    ['Approved,Failed', { conditions: [{ type: 'Approved' }, { type: 'Failed' }] }],
    ['Approved,Issued', { conditions: [{ type: 'Approved' }], certificate: 'LS0t' }],
  ])('prints that a signing request is %s', (word, status) => {
    const request = cells('certificates.k8s.io', 'CertificateSigningRequest', { status })
    expect(request).toEqual(['<unknown>', '<none>', '', '<none>', word])
  })

  it('prints that a selector is invalid', () => {
    const selector = { matchExpressions: [{ key: 'a', operator: 'Odd' }] }
    expect(cells('apps', 'Deployment', { spec: { selector } }).at(-1)).toBe('<invalid>')
    expect(cells('apps', 'DaemonSet', { spec: { selector: {} } }).at(-1)).toBe('<none>')
  })

  it('prints an unknown type of service', () => {
    expect(cells('', 'Service', { spec: { type: 'Odd' } })[2]).toBe('<unknown>')
  })

  it('never throws for any object', () => {
    const kinds =
      'Namespace ConfigMap Secret ServiceAccount Service Node Pod Event Lease.coordination.k8s.io ' +
      'PodDisruptionBudget.policy Deployment.apps DaemonSet.apps ' +
      'RoleBinding.rbac.authorization.k8s.io CertificateSigningRequest.certificates.k8s.io'
    const plain = fc.constantFrom(null, 0, -1.5, '', 'True', true, '2020-01-02T03:04:05Z')
    const state = { terminated: plain, waiting: plain, running: plain }
    const container = {
      name: plain,
      restartPolicy: plain,
      state: fc.record(state),
      lastState: plain,
    }
    const whatever = fc.oneof(
      plain,
      fc.array(fc.oneof(plain, fc.record(container), fc.record({ key: plain, operator: plain }))),
      fc.dictionary(fc.constantFrom('a', 'name', 'kind'), plain),
    )
    const selector = fc.record({ matchLabels: whatever, matchExpressions: whatever })
    const spec = {
      selector: fc.oneof(selector, whatever),
      initContainers: whatever,
      containers: whatever,
    }
    const object = fc.record({
      metadata: fc.oneof(whatever, fc.record({ labels: whatever, creationTimestamp: plain })),
      spec: fc.oneof(
        whatever,
        fc.record({ ...spec, ports: whatever, type: whatever, externalIPs: whatever }),
      ),
      status: fc.oneof(
        whatever,
        fc.record({
          conditions: whatever,
          containerStatuses: whatever,
          initContainerStatuses: whatever,
        }),
      ),
      subjects: whatever,
      data: whatever,
    })
    fc.assert(
      fc.property(fc.constantFrom(...kinds.split(' ')), object, (name, given) => {
        const [kind, ...group] = name.split('.')
        for (const cell of cells(group.join('.'), kind!, given)) {
          expect(['string', 'number', 'object']).toContain(typeof cell)
        }
      }),
      { numRuns: 1500 },
    )
  })
})
