/* The probes of a kubelet; the results are in verdicts.json, in the same order. */

export type Conf = Readonly<Record<string, unknown>>

/** The values for every field. */
export const values: readonly unknown[] = [
  true,
  false,
  0,
  1,
  -1,
  1.5,
  50,
  70_000,
  3_000_000_000,
  '',
  'abc',
  '0s',
  '10s',
  '10',
  '-10s',
  '1h30m',
  '1Gi',
  [],
  ['abc'],
  [1],
  {},
  { abc: 'abc' },
  { abc: 1 },
  { abc: true },
  { abc: ['x'] },
  { memory: '1Gi' },
  { 'memory.available': '5%' },
  { 'memory.available': '0' },
]

/** Required fields. */
export const least: Conf = {
  apiVersion: 'kubelet.config.k8s.io/v1beta1',
  kind: 'KubeletConfiguration',
  containerRuntimeEndpoint: 'unix:///run/crio.sock',
}

const memory = 'memory.available'
const each = <A>(as: readonly A[], conf: (a: A) => Conf | readonly Conf[]): Conf[] =>
  as.flatMap<Conf>((a) => [conf(a)].flat())
const pairs = <A, B>(as: readonly A[], bs: readonly B[], conf: (a: A, b: B) => Conf): Conf[] =>
  as.flatMap((a) => bs.map((b) => conf(a, b)))

const nested = [
  ['authentication', 'x509', 'clientCAFile'],
  ['authentication', 'webhook', 'enabled'],
  ['authentication', 'webhook', 'cacheTTL'],
  ['authentication', 'anonymous', 'enabled'],
  ['authentication', 'foo'],
  ['authorization', 'mode'],
  ['authorization', 'webhook', 'cacheAuthorizedTTL'],
  ['authorization', 'webhook', 'cacheUnauthorizedTTL'],
  ['logging', 'format'],
  ['logging', 'flushFrequency'],
  ['logging', 'verbosity'],
  ['logging', 'options', 'text', 'splitStream'],
  ['logging', 'options', 'json', 'infoBufferSize'],
  ['logging', 'foo'],
  ['memorySwap', 'swapBehavior'],
  ['tracing', 'endpoint'],
  ['tracing', 'samplingRatePerMillion'],
  ['tracing', 'foo'],
  ['systemReserved', 'cpu'],
  ['systemReserved', 'pid'],
  ['kubeReserved', 'memory'],
  ['evictionSoftGracePeriod', memory],
  ['evictionMinimumReclaim', memory],
  ['evictionHard', 'nodefs.available'],
]
const inside = (path: readonly string[], value: unknown): Conf =>
  path.reduceRight<unknown>((member, key) => ({ [key]: member }), value) as Conf

const enforcements =
  'none pods system-reserved system-reserved-compressible kube-reserved kube-reserved-compressible x'.split(' ')
const besides: readonly Conf[] = [
  {},
  { systemReservedCgroup: '/s' },
  { kubeReservedCgroup: '/k' },
  { systemReservedCgroup: '/s', kubeReservedCgroup: '/k' },
  { cgroupsPerQOS: false },
  { reservedSystemCPUs: '0' },
  { reservedSystemCPUs: '0', kubeReservedCgroup: '/k' },
]
const quantities =
  '0 1 1.5 .5 5. 1e3 1E3 1e-3 1Ki 1ki 1Mi 1M 1m 1u 1n 1k 1K 1G 1Gi 1Ti 1E 1Ei +1 -1 --1 0x10 1e 9223372036854775807 1.0000000001'.split(
    ' ',
  )
const shares = '0% 100% 101% 5% 5.5% -5% % 5%% 1e1% .5%'.split(' ')
const durations =
  '0 1 1s -1s +1s 1.5s .5s 1.s .s 1h1m 1m1h 1d 1us 1µs 1ns 1ms 1S 9223372036s 9223372037s 2562047h 2562048h 1e3s'.split(
    ' ',
  )
const periods = ['0s', '500ms', '1s', '30s', '90s']
const ages = ['0s', '1m', '2m', '3m']
const shutdown = [{ priority: 1, shutdownGracePeriodSeconds: 1 }]
const schedule = { key: 'a', effect: 'NoSchedule' }
const numa = (numaNode: number, limits?: object): object => ({ numaNode, ...(limits && { limits }) })

/** Combinations of fields, by topic. */
export const together: Readonly<Record<string, readonly Conf[]>> = {
  nested: pairs(nested, values, inside),
  enforcement: [
    ...pairs(enforcements, besides, (one, more) => ({ enforceNodeAllocatable: [one], ...more })),
    ...enforcements.flatMap((one) =>
      pairs(enforcements, besides, (two, more) => ({ enforceNodeAllocatable: [one, two], ...more })),
    ),
  ],
  quantities: each([...quantities, '1 Gi', ' 1', '1Gi ', ''], (one) => [
    { systemReserved: { memory: one } },
    { evictionHard: { [memory]: one } },
    { evictionMinimumReclaim: { [memory]: one } },
  ]),
  shares: each([...shares, '5 %'], (one) => [
    { evictionHard: { [memory]: one } },
    { evictionMinimumReclaim: { [memory]: one } },
  ]),
  durations: each([...durations, '', '1 s'], (one) => [
    { syncFrequency: one },
    { volumeStatsAggPeriod: one },
  ]),
  cpus: each(
    ['0', '0-1', '0-1,4', '1-0', 'a', '0,', '', '0-', '-1', '0-1-2', '0..3', '01', '4,0-1'],
    (reservedSystemCPUs) => ({ reservedSystemCPUs }),
  ),
  images: [
    ...pairs([0, 50, 80, 85, 100], [0, 50, 80, 85, 100], (high, low) => ({
      imageGCHighThresholdPercent: high,
      imageGCLowThresholdPercent: low,
    })),
    ...each([0, 80, 81, 100], (high) => ({ imageGCHighThresholdPercent: high })),
    ...pairs(ages, ages, (most, age) => ({ imageMaximumGCAge: most, imageMinimumGCAge: age })),
    ...each(ages, (imageMaximumGCAge) => ({ imageMaximumGCAge })),
    ...pairs([true, false], [0, 1, 2], (serializeImagePulls, maxParallelImagePulls) => ({
      serializeImagePulls,
      maxParallelImagePulls,
    })),
    ...each([0, 1, 2], (maxParallelImagePulls) => ({ maxParallelImagePulls })),
  ],
  shutdown: [
    ...pairs(periods, periods, (all, critical) => ({
      shutdownGracePeriod: all,
      shutdownGracePeriodCriticalPods: critical,
    })),
    ...each(periods, (all) => ({
      shutdownGracePeriod: all,
      shutdownGracePeriodByPodPriority: shutdown,
    })),
  ],
  eviction: [
    { evictionSoft: { [memory]: '1Gi' } },
    { evictionSoft: { [memory]: '1Gi' }, evictionSoftGracePeriod: { [memory]: '1m' } },
    { evictionSoft: { [memory]: '1Gi' }, evictionSoftGracePeriod: { 'nodefs.available': '1m' } },
    { evictionSoft: { [memory]: '0%' } },
    { evictionHard: { abc: '1' } },
  ],
  cgroups: [{ systemCgroups: '/s' }, { systemCgroups: '/s', cgroupRoot: '/' }],
  taints: [
    { registerWithTaints: [schedule] },
    { registerWithTaints: [{ ...schedule, key: '' }] },
    { registerWithTaints: [{ ...schedule, key: 'a b' }] },
    { registerWithTaints: [{ ...schedule, key: 'a/b/c' }] },
    { registerWithTaints: [{ ...schedule, value: 'b c' }] },
    { registerWithTaints: [{ ...schedule, effect: 'No' }] },
    { registerWithTaints: [{ effect: 'NoSchedule' }] },
    { registerWithTaints: [{ key: 'a' }] },
  ],
  numa: [
    { reservedMemory: [numa(0, { memory: '1Gi' }), numa(1, { memory: '1Gi' })] },
    { reservedMemory: [numa(0, { memory: '1Gi' }), numa(0, { memory: '1Gi' })] },
    { reservedMemory: [numa(0, { memory: '1Gi' }), numa(0, { 'hugepages-2Mi': '1Gi' })] },
    { reservedMemory: [numa(0, { memory: 1 })] },
    { reservedMemory: [numa(0, { memory: '0' })] },
    { reservedMemory: [numa(0, { cpu: '1' })] },
  ],
  tls: [
    ...each(['', 'VersionTLS10', 'VersionTLS13', 'TLS12'], (tlsMinVersion) => ({ tlsMinVersion })),
    ...each(
      [
        'TLS_AES_128_GCM_SHA256',
        'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256',
        'TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305',
        'TLS_ECDHE_ECDSA_WITH_RC4_128_SHA',
        'TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA',
        'TLS_RSA_WITH_AES_128_CBC_SHA256',
        'TLS_RSA_WITH_AES_256_CBC_SHA256',
        'TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA384',
        'ECDHE-RSA-AES128-GCM-SHA256',
      ],
      (suite) => ({ tlsMinVersion: 'VersionTLS13', tlsCipherSuites: [suite] }),
    ),
  ],
}
