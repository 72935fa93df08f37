import { describe, expect, it } from 'vitest'
import { ruleProblems } from './merged-rules.ts'

describe('fields that go together', () => {
  it.each<Record<string, unknown>>([
    {},
    { systemReservedCgroup: '/system.slice', systemCgroups: '/system.slice', cgroupRoot: '/' },
    {
      enforceNodeAllocatable: ['pods', 'system-reserved-compressible'],
      systemReservedCgroup: '/system.slice',
    },
    { enforceNodeAllocatable: ['none'], cgroupsPerQOS: false },
    { imageGCHighThresholdPercent: 90, imageGCLowThresholdPercent: 85 },
    {
      evictionSoft: { 'memory.available': '10%' },
      evictionSoftGracePeriod: { 'memory.available': '1m' },
    },
    { serializeImagePulls: false, maxParallelImagePulls: 5 },
    { maxParallelImagePulls: 5 },
    { shutdownGracePeriod: '90s', shutdownGracePeriodCriticalPods: '60s' },
    {
      shutdownGracePeriodByPodPriority: [{ priority: 1, shutdownGracePeriodSeconds: 1 }],
      shutdownGracePeriod: '0s',
      shutdownGracePeriodCriticalPods: '0s',
    },
    { tlsMinVersion: 'VersionTLS12', tlsCipherSuites: [] },
    { tlsMinVersion: 'VersionTLS13', tlsCipherSuites: ['TLS_AES_128_GCM_SHA256'] },
    { imageMaximumGCAge: '3m' },
    { evictionSoft: { 'memory.available': '0%' } },
    { enableSystemLogQuery: true },
  ])('may say %j', (conf) => {
    expect(ruleProblems(conf)).toEqual([])
  })

  it.each<[Record<string, unknown>, string[]]>([
    [
      { systemReservedCgroup: '/system.slice', systemCgroups: '/foo.slice', cgroupRoot: '/' },
      ['systemReservedCgroup ("/system.slice") must match systemCgroups ("/foo.slice")'],
    ],
    [{ systemCgroups: '/system.slice' }, ['systemCgroups needs cgroupRoot, such as "/"']],
    [
      { enforceNodeAllocatable: ['pods', 'system-reserved'] },
      ['enforceNodeAllocatable: system-reserved needs systemReservedCgroup'],
    ],
    [
      {
        enforceNodeAllocatable: ['kube-reserved', 'kube-reserved-compressible'],
        kubeReservedCgroup: '/kube.slice',
      },
      ['enforceNodeAllocatable: has both kube-reserved and kube-reserved-compressible'],
    ],
    [
      { enforceNodeAllocatable: ['pods', 'pods'] },
      ['enforceNodeAllocatable: names something twice'],
    ],
    [{ enforceNodeAllocatable: ['none', 'pods'] }, ['enforceNodeAllocatable: has more than none']],
    [
      { cgroupsPerQOS: false },
      ['enforceNodeAllocatable: has to be ["none"] where cgroupsPerQOS is false'],
    ],
    [
      { reservedSystemCPUs: '0', kubeReservedCgroup: '/kube.slice' },
      ['reservedSystemCPUs does not go with kubeReservedCgroup'],
    ],
    [
      { imageGCHighThresholdPercent: 70 },
      ['imageGCLowThresholdPercent (80) must be less than imageGCHighThresholdPercent (70)'],
    ],
    [
      { imageMaximumGCAge: '2m' },
      ['imageMaximumGCAge must be more than imageMinimumGCAge, which is 2m unless set'],
    ],
    [
      { evictionSoft: { 'memory.available': '10%' } },
      ['evictionSoft["memory.available"] needs evictionSoftGracePeriod["memory.available"]'],
    ],
    [
      { serializeImagePulls: true, maxParallelImagePulls: 5 },
      ['maxParallelImagePulls above 1 needs serializeImagePulls: false'],
    ],
    [
      { shutdownGracePeriod: '30s', shutdownGracePeriodCriticalPods: '60s' },
      ['shutdownGracePeriodCriticalPods must not be more than shutdownGracePeriod'],
    ],
    [{ shutdownGracePeriod: '500ms' }, ['shutdownGracePeriod must be 0s, or 1s and more']],
    [
      {
        shutdownGracePeriodByPodPriority: [{ priority: 1, shutdownGracePeriodSeconds: 1 }],
        shutdownGracePeriod: '90s',
      },
      [
        'shutdownGracePeriodByPodPriority needs shutdownGracePeriod and shutdownGracePeriodCriticalPods to be "0s"',
      ],
    ],
    [
      { enableSystemLogQuery: true, enableSystemLogHandler: false },
      ['enableSystemLogQuery needs enableSystemLogHandler'],
    ],
    [
      {
        reservedMemory: [
          { numaNode: 0, limits: { memory: '1Gi' } },
          { numaNode: 0, limits: { memory: '2Gi' } },
        ],
      },
      ['reservedMemory sets memory of the same kind and NUMA node aside twice'],
    ],
    [
      { tlsMinVersion: 'VersionTLS12', tlsCipherSuites: ['TLS_RSA_WITH_AES_128_CBC_SHA'] },
      [
        'tlsCipherSuites: HTTP/2 needs ECDHE-ECDSA-AES128-GCM-SHA256 or ECDHE-RSA-AES128-GCM-SHA256; without both the kubelet would not start',
      ],
    ],
  ])('may not say %j', (conf, problems) => {
    expect(ruleProblems(conf)).toEqual(problems)
  })
})
