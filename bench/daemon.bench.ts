import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { nodeAnnotations } from '../src/api/annotations.ts'
import type { MachineConfig } from '../src/api/resources.ts'
import { machineConfigs } from '../src/api/resources.ts'
import { nodes } from '../src/kube/kinds/core.ts'
import { startApi } from '../test/daemon/cluster/api.ts'
import { until } from '../test/support/until.ts'
import { megabytesOf, processorSecondsOf } from './process-memory.ts'
import { printTable } from './table.ts'

/**
 * The daemon on every node: how long until it follows its Node and is Done, and what it costs to have it wait, with its watch
 * open and 300 files under its eyes. The bundle is what images get; `bin/machinist` is a checkout.
 */
const wantedMegabytes = 60
const files = 300
const lean = ['--no-opt', '--no-maglev', '--optimize-for-size', '--max-semi-space-size=1']

let count = 0
const api = await startApi()
const directory = mkdtempSync(join(tmpdir(), 'machinist-daemon-bench-'))
const { client } = api
try {
  const config = manyFiles('rendered-worker-bench')
  await client.create(machineConfigs, config)
  const bundle = await bundled()
  const checkout = fileURLToPath(new URL('../bin/machinist', import.meta.url))
  await row('to fill the cache', checkout, [])
  const rows = [
    await row('bin/machinist', checkout, []),
    await row('bundle', process.execPath, [bundle]),
    await row('bundle, lean', process.execPath, [...lean, bundle]),
  ]
  printTable(
    `the daemon with ${files} files (wanted: below ${wantedMegabytes} MB; lean: ${lean.join(' ')})`,
    rows,
  )
} finally {
  await api.stop()
  rmSync(directory, { recursive: true, force: true })
}

function manyFiles(name: string): MachineConfig {
  const paths = Array.from({ length: files }, (_, at) => `/etc/bench/${at % 30}/file-${at}`)
  return {
    metadata: { name },
    spec: {
      config: {
        ignition: { version: '3.4.0' },
        storage: {
          files: paths.map((path) => ({
            path,
            contents: { source: `data:,${'x'.repeat(1500)}` },
          })),
        },
      },
    },
  }
}

async function bundled(): Promise<string> {
  const outfile = join(directory, 'machinist.mjs')
  await build({
    entryPoints: [fileURLToPath(new URL('../src/cli/main.ts', import.meta.url))],
    outdir: directory,
    outExtension: { '.js': '.mjs' },
    entryNames: 'machinist',
    bundle: true,
    splitting: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    // For what comes as CommonJS.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)",
    },
    logLevel: 'error',
  })
  return outfile
}

async function row(
  name: string,
  program: string,
  args: readonly string[],
): Promise<Record<string, string>> {
  const node = `bench-${count++}`
  const annotations = {
    [nodeAnnotations.desiredConfig]: 'rendered-worker-bench',
    [nodeAnnotations.controlPlaneTopology]: 'SingleReplica',
  }
  await client.create(nodes, { metadata: { name: node, annotations } })
  const root = join(directory, node)
  const wants = [
    '--node',
    node,
    '--kubeconfig',
    api.kubeconfig,
    '--host',
    'sandbox',
    '--root',
    root,
  ]
  const began = performance.now()
  const child = spawn(program, [...args, 'daemon', ...wants], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, NODE_COMPILE_CACHE: join(directory, 'compiled') },
  })
  await saysReady(child)
  const readyMs = performance.now() - began
  const isDone = async (): Promise<boolean> => {
    const { metadata } = await client.get(nodes, { name: node })
    return metadata.annotations?.[nodeAnnotations.state] === 'Done'
  }
  await until('the node is Done', isDone)
  const updated = megabytesOf(child.pid!, 'VmRSS')
  const again = await restarted(child, program, [...args, 'daemon', ...wants])
  return {
    program: name,
    'ready, ms': readyMs.toFixed(0),
    'RSS after an update, MB': updated.toFixed(1),
    ...again,
  }
}

/** What it costs to be there: started anew on a node that is in order, the usual case. */
async function restarted(
  before: ReturnType<typeof spawn>,
  program: string,
  args: readonly string[],
): Promise<Record<string, string>> {
  await ended(before)
  const began = performance.now()
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, NODE_COMPILE_CACHE: join(directory, 'compiled') },
  })
  await saysReady(child)
  const readyMs = performance.now() - began
  // What settles after the start: the look at the disk, compilation in the background, a first collection.
  await pause(5000)
  const result = {
    'restarted, ready, ms': readyMs.toFixed(0),
    'idle RSS, MB': megabytesOf(child.pid!, 'VmRSS').toFixed(1),
    'of it own': megabytesOf(child.pid!, 'RssAnon').toFixed(1),
    peak: megabytesOf(child.pid!, 'VmHWM').toFixed(1),
    'processor, s': processorSecondsOf(child.pid!).toFixed(2),
  }
  await ended(child)
  return result
}

/** An end before that must not be waited for. */
async function saysReady(child: ReturnType<typeof spawn>): Promise<void> {
  const said = await Promise.race([once(child.stdout!, 'data'), once(child, 'exit')])
  if (!String(said[0]).startsWith('ready')) throw new Error('the daemon ended before it was ready')
}

async function ended(child: ReturnType<typeof spawn>): Promise<void> {
  const gone = once(child, 'exit')
  child.kill('SIGTERM')
  await gone
}
