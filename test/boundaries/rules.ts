/** Packages: foundations that know nothing of Machinist. Their `exports` are the only door, which Node itself enforces. */
export const packages: Readonly<Record<string, readonly string[]>> = {
  core: [],
  kube: ['core'],
  pki: ['core'],
  ignition: ['core'],
  apiserver: ['core'],
}

/** Rooms of the product (ARCHITECTURE.md), and which packages and rooms each may import. */
export const rooms: Readonly<Record<string, readonly string[]>> = {
  api: ['core'],
  planner: ['core', 'ignition', 'api'],
  operator: ['core', 'kube', 'pki', 'api'],
  controllers: ['core', 'kube', 'pki', 'ignition', 'api', 'planner'],
  daemon: ['core', 'kube', 'pki', 'ignition', 'api', 'planner'],
  server: ['core', 'kube', 'pki', 'ignition', 'api'],
  signer: ['core', 'kube', 'pki', 'api'],
  console: ['core', 'kube', 'api', 'planner'],
  cli: [
    'core',
    'kube',
    'pki',
    'ignition',
    'apiserver',
    'api',
    'planner',
    'operator',
    'controllers',
    'daemon',
    'server',
    'signer',
    'console',
  ],
}

/** What each package and room may import. */
export const directions: Readonly<Record<string, readonly string[]>> = { ...packages, ...rooms }

export interface Capability {
  /** What it is, for the message. */
  readonly what: string
  /** The rooms and packages, folders or files of them, that may have it. */
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
    homes: ['core'],
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
    homes: ['core', 'pki'],
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
