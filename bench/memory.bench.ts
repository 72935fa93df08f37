import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { ServiceAccount } from '@machinist/testing/clusters/service-account'
import { createAuthority } from '@machinist/testing/certificates/tls'
import { ServerProcess } from './api-server.ts'
import { leanFlags } from './lean.ts'
import { megabytesOf } from './process-memory.ts'
import { printTable } from './table.ts'

/** The memory of one informer on every node, compared with Node itself. */
const objects = 300
const targetMegabytes = 60
/** The events of a busy cluster of this size in a few hours. */
const churn = { events: 20_000, batch: 1000 }

const directory = mkdtempSync(join(tmpdir(), 'machinist-memory-'))
const authority = createAuthority('bench')
const account = new ServiceAccount({ token: 'one', ca: authority.certificate })
const server = await ServerProcess.start({
  objects,
  bytes: 600,
  tls: authority.issueServer(),
  token: 'one',
})
try {
  const bundle = await bundled()
  const bare = script('bare', '')
  const https = script('https', "require('node:https')\n")
  const rows = [
    await row('node', [bare]),
    await row('node + https', [https]),
    await row('informer', [bundle]),
    await row('informer, lean', [...leanFlags, bundle]),
    await row(`informer after ${churn.events} events`, [bundle], churn.events),
    await row(`informer after ${churn.events} events, lean`, [...leanFlags, bundle], churn.events),
  ]
  printTable(
    `memory of one informer with ${objects} objects (target: below ${targetMegabytes} MB; lean: ${leanFlags.join(' ')})`,
    rows,
  )
} finally {
  await server.stop()
  account.remove()
  rmSync(directory, { recursive: true, force: true })
}

async function bundled(): Promise<string> {
  const outfile = join(directory, 'informer.cjs')
  await build({
    entryPoints: [fileURLToPath(new URL('memory-program.ts', import.meta.url))],
    outfile,
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'cjs',
    logLevel: 'error',
  })
  return outfile
}

/** A program that prints `ready` and idles. */
function script(name: string, before: string): string {
  const path = join(directory, `${name}.cjs`)
  writeFileSync(path, `${before}process.stdout.write('ready\\n'); setInterval(() => {}, 1e6)\n`)
  return path
}

async function row(
  name: string,
  args: readonly string[],
  events = 0,
): Promise<Record<string, string>> {
  const { hostname, port } = new URL(server.url)
  const child = spawn(process.execPath, args, {
    env: { HOST: hostname, PORT: port, ACCOUNT: account.directory },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  for (let sent = 0; sent < events; sent += churn.batch) {
    server.change(churn.batch)
    await pause(60)
  }
  // Background compilation and the first garbage collection.
  await pause(2000)
  const memory = memoryOf(child.pid!)
  const gone = once(child, 'exit')
  child.kill()
  await gone
  return { program: name, ...memory }
}

function memoryOf(pid: number): Record<string, string> {
  return {
    'RSS, MB': megabytesOf(pid, 'VmRSS').toFixed(1),
    'of it own': megabytesOf(pid, 'RssAnon').toFixed(1),
    'of it files': megabytesOf(pid, 'RssFile').toFixed(1),
    peak: megabytesOf(pid, 'VmHWM').toFixed(1),
  }
}
