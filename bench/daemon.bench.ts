import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { nodes } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { until } from '@machinist/testing/until'
import { bundle } from '../scripts/bundle.ts'
import { nodeAnnotations } from '../src/api/annotations.ts'
import type { MachineConfig } from '../src/api/kinds/resources.ts'
import { machineConfigs } from '../src/api/kinds/resources.ts'
import { startApi } from '../test/integration/daemon/cluster/api.ts'
import { leanEnvironment, leanFlags } from './lean.ts'
import { megabytesOf, processorSecondsOf } from './process-memory.ts'
import { printTable } from './table.ts'

/**
 * The daemon on every node: time until it watches its Node, and memory at rest with an open watch and 300 monitored files,
 * after a start on a node without drift, the usual case, and after five updates of all files. The bundle is in the images;
 * `bin/machinist` is a checkout.
 */
const targetMegabytes = 60
const files = 300
const updates = 5
const afterUpdates = `after ${updates} updates`
/** Time to settle after work: the drift check, then a garbage collection after an idle time. */
const restMs = 12_000

interface Program {
  readonly name: string
  readonly command: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
}

let count = 0
const api = await startApi()
const directory = mkdtempSync(join(tmpdir(), 'machinist-daemon-bench-'))
const { client } = api
try {
  const configs = [manyFiles('rendered-worker-x', 'x'), manyFiles('rendered-worker-y', 'y')]
  for (const config of configs) await client.create(machineConfigs, config)
  await bundle(directory, 'daemon')
  const programs: readonly Program[] = [
    {
      name: 'bin/machinist',
      command: [fileURLToPath(new URL('../bin/machinist', import.meta.url))],
    },
    { name: 'bundle, not lean', command: [process.execPath, join(directory, 'machinist.mjs')] },
    { name: 'bundle', command: [join(directory, 'machinist')] },
  ]
  const rows = []
  for (const program of programs) rows.push(await row(program))
  rows.push(await bare())
  printTable(`the daemon with ${files} files (target: below ${targetMegabytes} MB at rest)`, rows)
} finally {
  await api.stop()
  rmSync(directory, { recursive: true, force: true })
}

function manyFiles(name: string, letter: string): MachineConfig {
  const paths = Array.from({ length: files }, (_, at) => `/etc/bench/${at % 30}/file-${at}`)
  return {
    metadata: { name },
    spec: {
      config: {
        ignition: { version: '3.4.0' },
        storage: {
          files: paths.map((path) => ({
            path,
            contents: { source: `data:,${letter.repeat(1500)}` },
          })),
        },
      },
    },
  }
}

/** The baseline: an idle Node process with the same flags. */
async function bare(): Promise<Record<string, string>> {
  const program = { name: 'node, lean', command: [process.execPath, ...leanFlags] }
  const child = start({ ...program, environment: leanEnvironment }, [
    '--eval',
    "process.stdout.write('ready'); setInterval(() => {}, 1e6)",
  ])
  await saysReady(child)
  await pause(2000)
  const none = {
    'after 5 s': '–',
    [afterUpdates]: '–',
    'ready, ms': '–',
    'ready, processor s': '–',
    'processor, s': '–',
  }
  const result = { program: program.name, ...atRest(child), ...none }
  await ended(child)
  return result
}

async function row(program: Program): Promise<Record<string, string>> {
  const node = `bench-${count++}`
  await client.create(nodes, {
    metadata: {
      name: node,
      annotations: {
        [nodeAnnotations.desiredConfig]: 'rendered-worker-x',
        [nodeAnnotations.controlPlaneTopology]: 'SingleReplica',
      },
    },
  })
  const args = ['daemon', '--node', node, '--kubeconfig', api.kubeconfig]
  args.push('--host', 'sandbox', '--root', join(directory, node))
  const first = start(program, args)
  await saysReady(first)
  await isDone(node, 'rendered-worker-x')
  for (let update = 1; update <= updates; update++) {
    const name = update % 2 === 0 ? 'rendered-worker-x' : 'rendered-worker-y'
    const annotations = { [nodeAnnotations.desiredConfig]: name }
    await client.patch(nodes, { name: node }, mergePatch({ metadata: { annotations } }))
    await isDone(node, name)
  }
  await pause(restMs)
  const updated = megabytesOf(first.pid!, 'VmRSS').toFixed(1)
  await ended(first)
  // The compile cache of the first start is used.
  const began = performance.now()
  const child = start(program, args)
  await saysReady(child)
  const readyMs = performance.now() - began
  const readySeconds = processorSecondsOf(child.pid!)
  await pause(5000)
  const early = megabytesOf(child.pid!, 'VmRSS').toFixed(1)
  await pause(restMs - 5000)
  const result = {
    program: program.name,
    ...atRest(child),
    'after 5 s': early,
    [afterUpdates]: updated,
    'ready, ms': readyMs.toFixed(0),
    'ready, processor s': readySeconds.toFixed(2),
    'processor, s': processorSecondsOf(child.pid!).toFixed(2),
  }
  await ended(child)
  return result
}

function atRest({ pid }: ChildProcess): Record<string, string> {
  return {
    'RSS at rest, MB': megabytesOf(pid!, 'VmRSS').toFixed(1),
    'of it own': megabytesOf(pid!, 'RssAnon').toFixed(1),
    peak: megabytesOf(pid!, 'VmHWM').toFixed(1),
  }
}

async function isDone(node: string, config: string): Promise<void> {
  await until(`the node is Done in ${config}`, async () => {
    // The API server is in this process: frequent polling would delay its responses to the daemon.
    await pause(100)
    const { annotations = {} } = (await client.get(nodes, { name: node })).metadata
    const { currentConfig, state } = nodeAnnotations
    return annotations[currentConfig] === config && annotations[state] === 'Done'
  })
}

function start({ command, environment }: Program, args: readonly string[]): ChildProcess {
  const [program, ...before] = command
  return spawn(program!, [...before, ...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, ...environment, NODE_COMPILE_CACHE: join(directory, 'compiled') },
  })
}

/** Fails if the daemon exits before it is ready. */
async function saysReady(child: ChildProcess): Promise<void> {
  const output = await Promise.race([once(child.stdout!, 'data'), once(child, 'exit')])
  if (!String(output[0]).startsWith('ready'))
    throw new Error('the daemon exited before it was ready')
}

async function ended(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit')
  child.kill('SIGTERM')
  await gone
}
