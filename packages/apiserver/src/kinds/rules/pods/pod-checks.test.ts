import { describe, expect, it } from 'vitest'
import { podSpecProblems } from './pod-checks.ts'
import { tolerationProblems } from './pod-tolerations.ts'
import { mountProblems, volumeProblems } from './pod-volumes.ts'

const fieldsOf = (causes: readonly { readonly field?: string }[]): string[] =>
  causes.map(({ field }) => field ?? '')

const container = {
  name: 'c',
  image: 'i',
  terminationMessagePolicy: 'File',
  imagePullPolicy: 'Always',
}
const spec = { containers: [container], restartPolicy: 'Always', dnsPolicy: 'Default' }

describe('a container', () => {
  it.each([
    [{ ports: [{ containerPort: 80, protocol: 'TCP' }] }, []],
    [{ name: 'C' }, ['s.containers[0].name']],
    [{ image: '' }, ['s.containers[0].image']],
    [
      { ports: [{ containerPort: 80, hostPort: 70000, protocol: 'TCP' }] },
      ['s.containers[0].ports[0].hostPort'],
    ],
    [
      { ports: ['p', 'p'].map((name, i) => ({ name, containerPort: i + 1, protocol: 'TCP' })) },
      ['s.containers[0].ports[1].name'],
    ],
  ])('with %j is invalid in %j', (change, fields) => {
    const changed = { ...spec, containers: [{ ...container, ...change }] }
    expect(fieldsOf(podSpecProblems(changed, 's'))).toEqual(fields)
  })

  it('has a unique name, also among init containers', () => {
    const twice = { ...spec, initContainers: [container, { ...container, name: 'd' }] }
    expect(fieldsOf(podSpecProblems(twice, 's'))).toEqual(['s.initContainers[0].name'])
  })

  it('has host ports with hostNetwork', () => {
    const ports = [{ containerPort: 80, hostPort: 81, protocol: 'TCP' }]
    const inner = { ...spec, containers: [{ ...container, ports }] }
    expect(podSpecProblems(inner, 's')).toEqual([])
    expect(fieldsOf(podSpecProblems({ ...inner, hostNetwork: true }, 's'))).toEqual([
      's.containers[0].ports[0].hostPort',
    ])
  })
})

describe('volumes', () => {
  it('have unique names', () => {
    const volumes = [{ name: 'a' }, { name: 'a' }, {}, { name: 'A' }]
    expect(fieldsOf(volumeProblems(volumes, 'v'))).toEqual(['v[1].name', 'v[2].name', 'v[3].name'])
  })

  it('must exist to be mounted', () => {
    const known = new Set(['a'])
    const mounting = (...volumeMounts: object[]): string[] =>
      fieldsOf(mountProblems({ volumeMounts }, known, 'm'))
    expect(mounting({ name: 'a', mountPath: '/a' })).toEqual([])
    expect(mounting({ name: 'b', mountPath: '/b' })).toEqual(['m[0].name'])
    expect(mounting({ name: 'a' }, {})).toEqual([
      'm[0].mountPath',
      'm[1].name',
      'm[1].name',
      'm[1].mountPath',
    ])
  })
})

describe('a toleration', () => {
  it.each([
    [{ operator: 'Exists' }, []],
    [{ key: 'a', value: 'b' }, []],
    [{ key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 3 }, []],
    [{}, ['t[0].operator']],
    [{ key: 'a b', operator: 'Exists' }, ['t[0].key']],
    [{ key: 'a', operator: 'Exists', value: 'b' }, ['t[0].operator']],
    [{ key: 'a', value: '-' }, ['t[0].operator']],
    [{ key: 'a', operator: 'Like' }, ['t[0].operator']],
    [{ key: 'a', effect: 'No' }, ['t[0].effect']],
    [{ key: 'a', tolerationSeconds: 3 }, ['t[0].effect']],
  ])('like %j is invalid in %j', (toleration, fields) => {
    expect(fieldsOf(tolerationProblems([toleration], 't'))).toEqual(fields)
  })
})
