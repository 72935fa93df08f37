import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { kubeletFields } from './kubelet-fields.ts'

function problemsOf(fragment: unknown): string[] {
  const problems: string[] = []
  kubeletFields(fragment, 'conf', (problem) => void problems.push(problem))
  return problems
}

describe('a field of a KubeletConfiguration', () => {
  it.each<[string, unknown]>([
    ['a number', { maxPods: 100 }],
    ['false, zero, nothing', { protectKernelDefaults: false, maxPods: 0, systemCgroups: '' }],
    ['what is to be taken away', { maxPods: null, evictionHard: { 'memory.available': null } }],
    [
      'durations',
      { syncFrequency: '1m0s', nodeStatusUpdateFrequency: '1.5h', cpuCFSQuotaPeriod: '5ms' },
    ],
    [
      'reservations',
      { kubeReserved: { cpu: '0.5', memory: '1.5Gi', 'ephemeral-storage': '1e9', pid: '100' } },
    ],
    [
      'evictions',
      {
        evictionHard: {
          'memory.available': '5%',
          'nodefs.available': '1Gi',
          'pid.available': '0%',
        },
      },
    ],
    ['its own kind', { apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration' }],
    ['CPUs', { reservedSystemCPUs: '0-1,4' }],
    ['taints', { registerWithTaints: [{ key: 'a', effect: 'NoSchedule' }] }],
    [
      'nested',
      {
        authentication: { webhook: { cacheTTL: '2m' } },
        logging: { flushFrequency: 5_000_000_000 },
      },
    ],
    ['memory of NUMA nodes', { reservedMemory: [{ numaNode: 0, limits: { memory: '1Gi' } }] }],
  ])('accepts %s', (_, fragment) => {
    expect(problemsOf(fragment)).toEqual([])
  })

  it.each<[unknown, string]>([
    [{ maxPods: 'abc' }, 'conf.maxPods: "abc" is not an integer'],
    [{ maxPods: '100' }, 'conf.maxPods: "100" is not an integer; remove the quotes'],
    [{ maxPods: 1.5 }, 'conf.maxPods: 1.5 is not an integer'],
    [{ maxPods: -1 }, 'conf.maxPods: -1 is less than 0'],
    [{ maxPods: 2 ** 31 }, 'conf.maxPods: 2147483648 is more than 2147483647'],
    [{ maxPods: [1] }, 'conf.maxPods: a list is not an integer'],
    [{ maxpods: 1 }, 'conf.maxpods: unknown field; did you mean maxPods?'],
    [{ evictionHrad: {} }, 'conf.evictionHrad: unknown field; did you mean evictionHard?'],
    [
      { nothingLikeIt: 1 },
      'conf.nothingLikeIt: unknown field; see KubeletConfiguration of your Kubernetes version',
    ],
    [
      { syncFrequency: 10 },
      'conf.syncFrequency: 10 is not a duration; add the unit, for example "10s"',
    ],
    [
      { syncFrequency: '10' },
      'conf.syncFrequency: "10" is not a duration; add the unit, for example "10s"',
    ],
    [
      { syncFrequency: '1 minute' },
      'conf.syncFrequency: "1 minute" is not a duration; add the unit, for example "10s" or "1h30m"',
    ],
    [{ syncFrequency: '-10s' }, 'conf.syncFrequency: "-10s" is less than 0s'],
    [
      { containerLogMonitorInterval: '1s' },
      'conf.containerLogMonitorInterval: "1s" is less than 3s',
    ],
    [{ cpuCFSQuotaPeriod: '2s' }, 'conf.cpuCFSQuotaPeriod: "2s" is more than 1s'],
    [{ failSwapOn: 'no' }, 'conf.failSwapOn: "no" is not a boolean; use true or false'],
    [{ systemCgroups: 1 }, 'conf.systemCgroups: 1 is not a string; put it in quotes: "1"'],
    [
      { systemReserved: { cpu: 1 } },
      'conf.systemReserved.cpu: 1 is not a string; put it in quotes: "1"',
    ],
    [
      { systemReserved: { memory: '1 GB' } },
      'conf.systemReserved.memory: "1 GB" is not a quantity; use for example "500m", "1Gi" or "10G"',
    ],
    [{ systemReserved: { memory: '-1Gi' } }, 'conf.systemReserved.memory: "-1Gi" is negative'],
    [
      { systemReserved: { storage: '1Gi' } },
      'conf.systemReserved.storage: unknown field; known fields: cpu, memory, ephemeral-storage, pid',
    ],
    [
      { evictionHard: { 'memory.availabel': '5%' } },
      'conf.evictionHard["memory.availabel"]: unknown field; did you mean memory.available?',
    ],
    [
      { evictionHard: { 'memory.available': '101%' } },
      'conf.evictionHard["memory.available"]: "101%" is more than 100%',
    ],
    [
      { evictionHard: { 'memory.available': '0' } },
      'conf.evictionHard["memory.available"]: "0" must be above zero; use "0%" to disable the threshold',
    ],
    [
      { topologyManagerPolicy: 'single-numa' },
      'conf.topologyManagerPolicy: "single-numa" is not one of none, best-effort, restricted, single-numa-node',
    ],
    [
      { cpuManagerPolicy: 'Static' },
      'conf.cpuManagerPolicy: "Static" is not one of none, static; did you mean static?',
    ],
    [{ enforceNodeAllocatable: 'pods' }, 'conf.enforceNodeAllocatable: "pods" is not a list'],
    [
      { enforceNodeAllocatable: ['pod'] },
      'conf.enforceNodeAllocatable[0]: "pod" is not one of none, pods, system-reserved, system-reserved-compressible, kube-reserved, kube-reserved-compressible',
    ],
    [{ authentication: { webhook: true } }, 'conf.authentication.webhook: true is not an object'],
    [
      { authentication: { webhook: { enable: true } } },
      'conf.authentication.webhook.enable: unknown field; did you mean enabled?',
    ],
    [
      { reservedSystemCPUs: '0..3' },
      'conf.reservedSystemCPUs: "0..3" is not a list of CPUs; use for example "0-1,4"',
    ],
    [
      { memoryThrottlingFactor: 2 },
      'conf.memoryThrottlingFactor: 2 is not a number above 0 and at most 1',
    ],
    [{ runOnce: true }, 'conf.runOnce: kubelets no longer support it; remove it'],
    [{ kind: 'Kubelet' }, 'conf.kind: "Kubelet" is not one of KubeletConfiguration'],
    [
      { podLogsDir: 'logs' },
      'conf.podLogsDir: "logs" is not an absolute path; use for example "/var/log/pods"',
    ],
    [
      { podLogsDir: '/var/../log' },
      'conf.podLogsDir: "/var/../log" is not an absolute path; use for example "/var/log/pods"',
    ],
    [
      { reservedSystemCPUs: '3-0' },
      'conf.reservedSystemCPUs: "3-0" is not a list of CPUs; use for example "0-1,4"',
    ],
    [
      { registerWithTaints: [{ effect: 'NoSchedule' }] },
      'conf.registerWithTaints[0].key: required',
    ],
    [
      { registerWithTaints: [{ key: 'a b' }] },
      'conf.registerWithTaints[0].key: "a b" is not a valid taint key',
    ],
    [
      { reservedMemory: [{ numaNode: 0, limits: { cpu: '1' } }] },
      'conf.reservedMemory[0].limits: "cpu" cannot be reserved; use memory or hugepages-<size>',
    ],
    [
      { reservedMemory: [{ limits: { memory: 0 } }] },
      'conf.reservedMemory[0].limits: "memory" must be above zero',
    ],
    [
      { evictionMinimumReclaim: { 'memory.available': '0%' } },
      'conf.evictionMinimumReclaim["memory.available"]: "0%" must be above zero',
    ],
    [['maxPods'], 'conf: a list is not an object'],
  ])('rejects %j', (fragment, problem) => {
    expect(problemsOf(fragment)).toEqual([problem])
  })

  it('is checked independently, and all problems are reported', () => {
    const fragment = { maxPods: 'a', nope: 1, registerWithTaints: [{ key: 1 }, { effect: 'No' }] }
    expect(problemsOf(fragment)).toHaveLength(5)
  })

  it('is checked without exceptions for any value', () => {
    const hostile = ['__proto__', 'constructor', 'toString', 'maxPods', 'logging', 'systemReserved']
    const key = fc.oneof(fc.constantFrom(...hostile), fc.string())
    const fragment = fc.dictionary(key, fc.jsonValue({ maxDepth: 4 }), { maxKeys: 6 })
    fc.assert(
      fc.property(fragment, (given) => {
        const read: unknown = JSON.parse(JSON.stringify(given))
        for (const problem of problemsOf(read)) expect(problem).toMatch(/^conf/)
        expect(Object.hasOwn(Object.prototype, 'maxPods')).toBe(false)
      }),
      { numRuns: 300 },
    )
  })
})

it('a key of the prototype is an unknown field', () => {
  expect(problemsOf(JSON.parse('{"__proto__": {"maxPods": 1}, "constructor": 1}'))).toEqual([
    'conf.__proto__: unknown field; see KubeletConfiguration of your Kubernetes version',
    'conf.constructor: unknown field; see KubeletConfiguration of your Kubernetes version',
  ])
})
