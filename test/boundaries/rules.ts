/** Packages: foundations that know nothing of Machinist. Their `exports` are the only door, which Node itself enforces. */
export const packages: Readonly<Record<string, readonly string[]>> = {
  core: [],
  kube: ['core'],
  pki: ['core'],
  ignition: ['core'],
  apiserver: ['core', 'pki'],
}

const foundations = [...Object.keys(packages), 'api', 'planner', 'fleet', 'views']
const components = ['operator', 'controllers', 'signer', 'server', 'daemon']

/** Rooms of the product (ARCHITECTURE.md), and which packages and rooms each may import. */
export const rooms: Readonly<Record<string, readonly string[]>> = {
  api: ['core'],
  planner: ['core', 'ignition', 'api'],
  fleet: ['core', 'kube', 'pki', 'ignition', 'api', 'planner'],
  views: ['core', 'kube', 'pki', 'ignition', 'api', 'planner', 'fleet'],
  operator: ['core', 'kube', 'pki', 'api', 'planner', 'fleet'],
  controllers: ['core', 'kube', 'pki', 'ignition', 'api', 'planner', 'fleet'],
  signer: ['core', 'kube', 'pki', 'api', 'planner', 'fleet'],
  server: ['core', 'kube', 'pki', 'ignition', 'api', 'planner', 'fleet'],
  daemon: ['core', 'kube', 'pki', 'ignition', 'api', 'planner', 'fleet'],
  console: ['core', 'kube', 'pki', 'ignition', 'api', 'planner', 'fleet', 'views'],
  process: ['core', 'kube', 'pki', 'api', 'operator', 'controllers', 'signer'],
  bootstrap: [...foundations, 'operator', 'controllers', 'process'],
  devcluster: [...foundations, ...components, 'process'],
  cli: [...foundations, ...components, 'console', 'process', 'bootstrap', 'devcluster'],
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
    homes: [
      'daemon/host',
      'apiserver/store',
      'apiserver/embedded',
      'kube/connection',
      'process',
      'devcluster',
      'cli',
    ],
    modules: ['node:fs', 'node:fs/promises'],
  },
  {
    what: 'processes',
    homes: ['daemon/host', 'kube/connection', 'process', 'devcluster', 'cli'],
    modules: ['node:child_process', 'node:worker_threads', 'node:cluster'],
  },
  {
    what: 'the network',
    // pki/certificate.ts only makes sure that node:tls is loaded, against a mistake in Node.
    homes: [
      'kube',
      'apiserver',
      'server',
      'console',
      'process',
      'devcluster',
      'cli',
      'pki/certificate.ts',
    ],
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
    homes: ['process', 'devcluster', 'cli'],
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

/** Names that do not describe the content. */
export const emptyNames = /(^|[-/])(utils?|helpers?|managers?|common|misc|stuff)([-./]|$)/

/** Code files in one folder. */
export const mostFiles = 22
