import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { emptyControllerConfigSpec } from '../../api/kinds/new-controller-config.ts'
import type { MachineConfig, MachineConfigPool } from '../../api/kinds/resources.ts'
import type { OutputObjects } from './output-files.ts'
import { outputFiles } from './output-files.ts'

const madeBy = 'machineconfiguration.openshift.io/generated-by-controller-version'
const server = (uid: string) => ({
  uid,
  resourceVersion: '7',
  generation: 2,
  creationTimestamp: '2026-01-01T00:00:00Z',
  managedFields: [],
})
const rendered = (name: string): MachineConfig => ({
  metadata: {
    name,
    ...server('a'),
    finalizers: ['machinist.dev/in-use'],
    annotations: { [madeBy]: 'machinist-0.1.0' },
    ownerReferences: [
      {
        apiVersion: 'machineconfiguration.openshift.io/v1',
        kind: 'MachineConfigPool',
        name: 'worker',
        uid: 'p',
        controller: true,
      },
    ],
  },
  spec: { kernelArguments: ['b', 'a'], fips: false },
})
const pool: MachineConfigPool = {
  metadata: {
    name: 'worker',
    ...server('p'),
    labels: { role: 'worker' },
    annotations: { 'machinist.dev/rollout': '{"turns":[]}' },
  },
  spec: { paused: true, configuration: { name: 'rendered-worker-2' } },
  status: { machineCount: 3, conditions: [{ type: 'Updated', status: 'True' }] },
}
const objects: OutputObjects = {
  controllerConfig: {
    metadata: {
      name: 'machine-config-controller',
      ...server('c'),
      annotations: {
        'machineconfiguration.openshift.io/service-ca-rotate': 'true',
        'machinist.dev/pinned-images': '{"worker":"1"}',
        'machinist.dev/distribution': 'kubernetes',
      },
    },
    spec: { ...emptyControllerConfigSpec, clusterDNSIP: '10.0.0.10' },
    status: { observedGeneration: 2 },
  },
  pools: [pool],
  machineConfigs: [
    { metadata: { name: '00-worker', annotations: { [madeBy]: 'machinist-0.1.0' } }, spec: {} },
    { metadata: { name: '50-of-a-user' }, spec: {} },
    rendered('rendered-worker-1'),
    rendered('rendered-worker-2'),
  ],
}

describe('the output', () => {
  const files = outputFiles(objects)

  it('has the pools, the generated MachineConfigs with the last rendered ones, and the ControllerConfig', () => {
    expect([...files.keys()]).toEqual([
      'machine-pools/worker.yaml',
      'machine-configs/00-worker.yaml',
      'machine-configs/rendered-worker-2.yaml',
      'controller-config/machine-config-controller.yaml',
    ])
  })

  it('has nothing that belongs to one cluster', () => {
    expect(files.get('machine-pools/worker.yaml'))
      .toBe(`apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfigPool
metadata:
  labels:
    role: worker
  name: worker
spec:
  configuration:
    name: rendered-worker-2
  paused: true
status:
  configuration:
    name: rendered-worker-2
`)
    expect(files.get('machine-configs/rendered-worker-2.yaml'))
      .toBe(`apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfig
metadata:
  annotations:
    machineconfiguration.openshift.io/generated-by-controller-version: machinist-0.1.0
  name: rendered-worker-2
spec:
  fips: false
  kernelArguments:
    - b
    - a
`)
    const controllerConfig = files.get('controller-config/machine-config-controller.yaml')
    expect(controllerConfig).toContain('annotations:\n    machinist.dev/distribution: kubernetes\n')
    expect(controllerConfig).not.toMatch(/status|service-ca-rotate|pinned-images|uid/)
  })

  it('does not depend on the order of keys', () => {
    const shuffled = (value: unknown, seed: number): unknown => {
      if (Array.isArray(value)) return value.map((item) => shuffled(item, seed))
      if (typeof value !== 'object' || value === null) return value
      const entries = Object.entries(value).map(([key, member]) => [key, shuffled(member, seed)])
      const keyed = entries.map((entry, i) => ({ entry, by: (seed * (i + 7)) % 11 }))
      return Object.fromEntries(
        keyed.toSorted((a, b) => a.by - b.by).map(({ entry }) => entry as [string, unknown]),
      )
    }
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        expect(outputFiles(shuffled(objects, seed) as OutputObjects)).toEqual(files)
      }),
    )
  })
})
