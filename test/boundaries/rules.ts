/** The house's plan (ARCHITECTURE.md): which room may import which. */
export const rooms: Readonly<Record<string, readonly string[]>> = {
  base: [],
  api: ['base'],
  ignition: ['base'],
  pki: ['base'],
  planner: ['base', 'api', 'ignition'],
  kube: ['base'],
  apiserver: ['base'],
  operator: ['base', 'api', 'pki', 'kube'],
  controllers: ['base', 'api', 'ignition', 'pki', 'planner', 'kube'],
  daemon: ['base', 'api', 'ignition', 'pki', 'planner', 'kube'],
  server: ['base', 'api', 'ignition', 'pki', 'kube'],
  signer: ['base', 'api', 'pki', 'kube'],
  console: ['base', 'api', 'planner', 'kube'],
  cli: [
    'base',
    'api',
    'ignition',
    'pki',
    'planner',
    'kube',
    'apiserver',
    'operator',
    'controllers',
    'daemon',
    'server',
    'signer',
    'console',
  ],
}

export interface Capability {
  /** What it is, for the message. */
  readonly what: string
  /** The folders (or files) under `src/` that may have it. */
  readonly homes: readonly string[]
  readonly modules?: readonly string[]
  /** Global names (`setTimeout`) and members (`Date.now`) that give it; `new Date()` stands for the call without arguments. */
  readonly names?: readonly string[]
}

/** What touches the world outside the program, and who may: everything else gets it through an interface. */
export const capabilities: readonly Capability[] = [
  {
    what: 'the file system',
    homes: ['daemon/host', 'apiserver/store', 'kube/connection', 'cli'],
    modules: ['node:fs', 'node:fs/promises'],
  },
  {
    what: 'processes',
    homes: ['daemon/host', 'kube/connection', 'cli'],
    modules: ['node:child_process', 'node:worker_threads', 'node:cluster'],
  },
  {
    what: 'the network',
    // pki/certificate.ts only makes sure that node:tls is loaded, against a mistake in Node.
    homes: ['kube', 'apiserver', 'server', 'console', 'cli', 'pki/certificate.ts'],
    modules: ['node:net', 'node:tls', 'node:http', 'node:https', 'node:http2', 'node:dgram'],
    names: ['fetch'],
  },
  {
    what: 'time',
    homes: ['base'],
    modules: ['node:timers', 'node:timers/promises', 'node:perf_hooks'],
    names: [
      'Date.now',
      'new Date()',
      'performance.now',
      'setTimeout',
      'setInterval',
      'setImmediate',
      'AbortSignal.timeout',
    ],
  },
  {
    what: 'randomness',
    homes: ['base', 'pki'],
    names: [
      'Math.random',
      'crypto.randomUUID',
      'crypto.getRandomValues',
      'randomUUID',
      'randomBytes',
      'randomInt',
    ],
  },
  {
    what: 'the environment',
    homes: ['cli'],
    modules: ['node:os', 'node:process'],
    names: [
      'process.env',
      'process.exit',
      'process.argv',
      'process.cwd',
      'process.stdin',
      'process.stdout',
      'process.stderr',
    ],
  },
]

/** Names that say nothing about what is inside. */
export const emptyNames = /(^|[-/])(utils?|helpers?|managers?|common|misc|stuff)([-./]|$)/
