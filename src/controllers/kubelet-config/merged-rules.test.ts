import { describe, expect, it } from 'vitest'
import { ruleProblems } from './merged-rules.ts'

describe('rules across fields', () => {
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
  ])('accept %j', (conf) => {
    expect(ruleProblems(conf)).toEqual([])
  })

  it.each<[Record<string, unknown>, string[]]>([
    [
      { systemReservedCgroup: '/system.slice', systemCgroups: '/foo.slice', cgroupRoot: '/' },
      ['systemReservedCgroup ("/system.slice") must match systemCgroups ("/foo.slice")'],
    ],
    [{ systemCgroups: '/system.slice' }, ['systemCgroups requires cgroupRoot, such as "/"']],
    [
      { enforceNodeAllocatable: ['pods', 'system-reserved'] },
      ['enforceNodeAllocatable: system-reserved requires systemReservedCgroup'],
    ],
    [
      {
        enforceNodeAllocatable: ['kube-reserved', 'kube-reserved-compressible'],
        kubeReservedCgroup: '/kube.slice',
      },
      [
        'enforceNodeAllocatable: kube-reserved and kube-reserved-compressible are mutually exclusive',
      ],
    ],
    [
      { enforceNodeAllocatable: ['pods', 'pods'] },
      ['enforceNodeAllocatable: has duplicate entries'],
    ],
    [
      { enforceNodeAllocatable: ['none', 'pods'] },
      ['enforceNodeAllocatable: none must be the only entry'],
    ],
    [
      { cgroupsPerQOS: false },
      ['enforceNodeAllocatable: must be ["none"] if cgroupsPerQOS is false'],
    ],
    [
      { reservedSystemCPUs: '0', kubeReservedCgroup: '/kube.slice' },
      ['reservedSystemCPUs and kubeReservedCgroup are mutually exclusive'],
    ],
    [
      { imageGCHighThresholdPercent: 70 },
      ['imageGCLowThresholdPercent (80) must be less than imageGCHighThresholdPercent (70)'],
    ],
    [
      { imageMaximumGCAge: '2m' },
      ['imageMaximumGCAge must be greater than imageMinimumGCAge (default 2m)'],
    ],
    [
      { evictionSoft: { 'memory.available': '10%' } },
      ['evictionSoft["memory.available"] requires evictionSoftGracePeriod["memory.available"]'],
    ],
    [
      { serializeImagePulls: true, maxParallelImagePulls: 5 },
      ['maxParallelImagePulls above 1 requires serializeImagePulls: false'],
    ],
    [
      { shutdownGracePeriod: '30s', shutdownGracePeriodCriticalPods: '60s' },
      ['shutdownGracePeriodCriticalPods must not exceed shutdownGracePeriod'],
    ],
    [{ shutdownGracePeriod: '500ms' }, ['shutdownGracePeriod must be 0s or at least 1s']],
    [
      {
        shutdownGracePeriodByPodPriority: [{ priority: 1, shutdownGracePeriodSeconds: 1 }],
        shutdownGracePeriod: '90s',
      },
      [
        'shutdownGracePeriodByPodPriority requires shutdownGracePeriod and shutdownGracePeriodCriticalPods to be "0s"',
      ],
    ],
    [
      { enableSystemLogQuery: true, enableSystemLogHandler: false },
      ['enableSystemLogQuery requires enableSystemLogHandler'],
    ],
    [
      {
        reservedMemory: [
          { numaNode: 0, limits: { memory: '1Gi' } },
          { numaNode: 0, limits: { memory: '2Gi' } },
        ],
      },
      ['reservedMemory reserves the same memory type of a NUMA node twice'],
    ],
    [
      { tlsMinVersion: 'VersionTLS12', tlsCipherSuites: ['TLS_RSA_WITH_AES_128_CBC_SHA'] },
      [
        'tlsCipherSuites: HTTP/2 requires ECDHE-ECDSA-AES128-GCM-SHA256 or ECDHE-RSA-AES128-GCM-SHA256, or the kubelet does not start; add one of them',
      ],
    ],
  ])('reject %j', (conf, problems) => {
    expect(ruleProblems(conf)).toEqual(problems)
  })
})
