import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { describeManifest, problemText } from './manifest.ts'
import type { ParsedManifests } from './parse-manifests.ts'
import { parseManifests } from './parse-manifests.ts'

const parse = (files: Record<string, string>): ParsedManifests =>
  parseManifests(new Map(Object.entries(files)))
const problems = (files: Record<string, string>): string[] => parse(files).problems.map(problemText)

const pool = `
apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfigPool
metadata: { name: infra }
spec: {}
`
const configMap = `
apiVersion: v1
kind: ConfigMap
metadata: { namespace: a, name: b }
`

describe('manifests', () => {
  it('are read from all documents and lists of all files', () => {
    const list = JSON.stringify({
      apiVersion: 'v1',
      kind: 'List',
      items: [
        { apiVersion: 'config.openshift.io/v1', kind: 'DNS', metadata: { name: 'cluster' } },
        { apiVersion: 'v1', kind: 'Secret', metadata: { namespace: 'a', name: 'b' } },
      ],
    })
    const parsed = parse({ 'a.yaml': `${pool}---\n# nothing\n---${configMap}`, 'b/c.json': list })
    expect(parsed.problems).toEqual([])
    expect(parsed.manifests.map((one) => `${one.file} ${describeManifest(one)}`)).toEqual([
      'a.yaml MachineConfigPool infra',
      'a.yaml ConfigMap a/b',
      'b/c.json DNS cluster',
      'b/c.json Secret a/b',
    ])
  })

  it('have only the metadata that users set', () => {
    const exported = `
apiVersion: machineconfiguration.openshift.io/v1
kind: KubeletConfig
metadata:
  name: k
  namespace: ignored
  uid: 5f1d
  resourceVersion: "7"
  generation: 3
  creationTimestamp: 2026-01-01T00:00:00Z
  finalizers: [99-worker-generated-kubelet]
  ownerReferences: [{ apiVersion: v1, kind: X, name: x, uid: y }]
  managedFields: []
  labels: { a: b }
  annotations: { c: d, kubectl.kubernetes.io/last-applied-configuration: "{}" }
spec: { logLevel: 2 }
`
    expect(parse({ a: exported }).manifests.map(({ object }) => object)).toEqual([
      {
        apiVersion: 'machineconfiguration.openshift.io/v1',
        kind: 'KubeletConfig',
        metadata: { name: 'k', labels: { a: 'b' }, annotations: { c: 'd' } },
        spec: { logLevel: 2 },
      },
    ])
  })

  it('of kinds that do not matter are counted', () => {
    const other = (kind: string, apiVersion: string): string =>
      `apiVersion: ${apiVersion}\nkind: ${kind}\n`
    const text = [
      other('Deployment', 'apps/v1'),
      other('Deployment', 'apps/v1'),
      other('OAuth', 'config.openshift.io/v1'),
      other('Node', 'v1'),
      other('NodeTrust', 'machinist.dev/v1alpha1'),
    ].join('---\n')
    const { ignored, manifests } = parse({ 'a.yaml': text })
    expect(manifests).toEqual([])
    expect([...ignored]).toEqual([
      ['Deployment', 2],
      ['OAuth', 1],
      ['Node', 1],
      ['NodeTrust', 1],
    ])
  })

  it('that controllers generated are not read: they are generated again', () => {
    const generated = (version: string): string => `
apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfig
metadata:
  name: 00-worker
  annotations:
    machineconfiguration.openshift.io/generated-by-controller-version: ${version}
`
    for (const version of ['machinist-0.1.0', '5b1f9a2c3d4e']) {
      const parsed = parse({ 'a.yaml': generated(version) })
      expect(parsed.manifests).toEqual([])
      expect(parsed.generated.map(describeManifest)).toEqual(['MachineConfig 00-worker'])
    }
  })

  it.each([
    ['a: [', 'x.yaml: not valid YAML: .* at line 1, column 5$'],
    ['- 1', 'x.yaml: document 1 is not an object$'],
    ['kind: MachineConfig', 'x.yaml: document 1 has no apiVersion or no kind$'],
    [`${pool}---\n5`, 'x.yaml: document 2 is not an object$'],
    [
      'apiVersion: machineconfiguration.openshift.io/v1\nkind: MachineConfg',
      'x.yaml: unknown kind MachineConfg of machineconfiguration.openshift.io/v1$',
    ],
    [
      'apiVersion: config.openshift.io/v1alpha1\nkind: ClusterImagePolicy',
      'x.yaml: ClusterImagePolicy: apiVersion config.openshift.io/v1alpha1 is not supported; use config.openshift.io/v1$',
    ],
    ['apiVersion: v1\nkind: Secret', 'x.yaml: document 1, Secret: metadata is missing$'],
    [
      'apiVersion: v1\nkind: Secret\nmetadata: { generateName: a }',
      'x.yaml: document 1, Secret: metadata.name is missing$',
    ],
    [
      'apiVersion: v1\nkind: Secret\nmetadata: { name: a }',
      'x.yaml: document 1, Secret: metadata.namespace of a is missing$',
    ],
  ])('are rejected: %j', (text, message) => {
    const found = problems({ 'x.yaml': text })
    expect(found).toHaveLength(1)
    expect(found[0]).toMatch(new RegExp(`^${message}`))
  })

  it('report every problem of every file, and repeated objects', () => {
    expect(
      problems({ a: 'x: [', b: `${pool}---${pool}`, c: 'kind: 5', d: configMap, e: configMap }),
    ).toEqual([
      expect.stringMatching(/^a: not valid YAML/) as string,
      'c: document 1 has no apiVersion or no kind',
      'b: MachineConfigPool infra is twice in this file',
      'e: ConfigMap a/b is also in d',
    ])
  })

  it('are never quoted in problems, whatever the text is', () => {
    const canary = 'canary7d1f'
    const damaged = fc
      .tuple(fc.constantFrom(pool, configMap, '{"a": ', '---\n', 'kind: '), fc.string(), fc.nat(80))
      .map(([text, noise, at]) => text.slice(0, at) + noise + text.slice(at))
    fc.assert(
      fc.property(damaged, (text) => {
        const secret = `${text}\ndata: { password: ${canary} }\n`
        const parsed = parse({ 'a.yaml': secret })
        for (const problem of parsed.problems) {
          expect(problem.file).toBe('a.yaml')
          expect(problem.message).not.toContain(canary)
        }
      }),
    )
  })
})
