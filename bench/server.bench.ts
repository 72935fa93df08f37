import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { startServer } from '@machinist/apiserver/running-server.fixture'
import { toYaml } from '@machinist/core/encoding/yaml'
import { createAuthority } from '@machinist/testing/certificates/tls'
import { until } from '@machinist/testing/until'
import { bundle } from '../scripts/bundle.ts'
import type { MachineConfig } from '../src/api/kinds/resources.ts'
import { createCluster } from '../test/integration/server/cluster-objects.ts'
import { megabytesOf, processorSecondsOf } from './process-memory.ts'
import { printTable } from './table.ts'

/**
 * The machine config server in cluster mode, as a bundle: requests for a config of 120 files and 30 units, 785 kB as it is served,
 * over 8 and 200 connections that are reused, and 2,000 clients at once with a connection each. Clients are in another process on
 * the same machine, so that requests per second are those of both; processor time is that of the server alone.
 */
const restMs = 12_000
const { files, units, fileBytes } = { files: 120, units: 30, fileBytes: 2542 }

const newest = {
  headers: {
    accept: 'application/vnd.coreos.ignition+json;version=3.5.0',
    'accept-encoding': 'identity',
  },
}

const directory = mkdtempSync(join(tmpdir(), 'machinist-server-bench-'))
const at = (name: string): string => join(directory, name)
const api = await startServer()
try {
  await createCluster(api.client, largeConfig())
  await bundle(directory, 'cluster')
  writeFileSync(at('kubeconfig'), kubeconfig(api.url))
  const { certificate, key } = createAuthority('bench').issueServer()
  writeFileSync(at('tls.crt'), certificate)
  writeFileSync(at('tls.key'), key)
  await measure()
} finally {
  await api[Symbol.asyncDispose]()
  rmSync(directory, { recursive: true, force: true })
}

async function measure(): Promise<void> {
  const rows = []
  let bytes = 0
  for (const protocol of ['http', 'https'] as const) {
    for (const [connections, requests] of [
      [8, 250],
      [200, 10],
      [2000, 1],
    ] as const) {
      await using server = await start()
      const url = `${protocol === 'http' ? server.plain : server.secure}/config/worker`
      bytes = Number(
        (await fetch(`${server.plain}/config/worker`, newest)).headers.get('content-length'),
      )
      await run(url, 8, 20)
      await pause(restMs)
      const idle = megabytesOf(server.pid, 'VmRSS')
      const before = processorSecondsOf(server.pid)
      const { seconds, served, failures, p50, p99 } = await run(url, connections, requests)
      const processor = processorSecondsOf(server.pid) - before
      const peak = megabytesOf(server.pid, 'VmHWM')
      await pause(restMs)
      rows.push({
        protocol,
        clients: connections,
        'requests/s': (served / seconds).toFixed(0),
        'p50, ms': p50.toFixed(0),
        'p99, ms': p99.toFixed(0),
        failures,
        'processor per request, ms': ((processor * 1000) / served).toFixed(2),
        'idle, MB': idle.toFixed(0),
        'peak, MB': peak.toFixed(0),
        'after, MB': megabytesOf(server.pid, 'VmRSS').toFixed(0),
      })
    }
  }
  printTable(`configs of ${Math.round(bytes / 1000)} kB`, rows)
}

interface Result {
  readonly seconds: number
  readonly served: number
  readonly failures: number
  readonly p50: number
  readonly p99: number
}

async function run(url: string, connections: number, requests: number): Promise<Result> {
  const program = fileURLToPath(new URL('server-clients.ts', import.meta.url))
  const args = ['--no-warnings', program, url, String(connections), String(requests)]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  return JSON.parse(stdout) as Result
}

async function start() {
  const log = at('server.log')
  writeFileSync(log, '')
  const child = spawn(
    at('machinist'),
    [
      'server',
      '--open',
      `--kubeconfig=${at('kubeconfig')}`,
      '--listen=127.0.0.1:0',
      '--insecure-listen=127.0.0.1:0',
      `--tls-cert=${at('tls.crt')}`,
      `--tls-key=${at('tls.key')}`,
    ],
    { stdio: ['ignore', 'ignore', openSync(log, 'a')] },
  )
  const listening = /"urls":\["([^"]+)","([^"]+)"\]/
  await until('it listens', () => listening.test(readFileSync(log, 'utf8')))
  const [, secure = '', plain = ''] = listening.exec(readFileSync(log, 'utf8'))!
  await until('it is ready', async () => (await fetch(`${plain}/healthz`)).status === 200)
  return {
    secure,
    plain,
    pid: child.pid!,
    async [Symbol.asyncDispose]() {
      const gone = once(child, 'exit')
      child.kill()
      await gone
    },
  }
}

function largeConfig(): MachineConfig['spec'] {
  const text = (seed: number): string =>
    Array.from(
      { length: fileBytes / 41 },
      (_, line) => `setting_${seed}_${line} = some value of a line\n`,
    ).join('')
  return {
    osImageURL: `quay.example/os@sha256:${'0'.repeat(64)}`,
    kernelArguments: ['quiet'],
    config: {
      ignition: { version: '3.4.0' },
      storage: {
        files: Array.from({ length: files }, (_, i) => ({
          path: `/etc/bench/file-${i}.conf`,
          mode: 0o644,
          overwrite: true,
          contents: {
            source: `data:text/plain;charset=utf-8;base64,${Buffer.from(text(i)).toString('base64')}`,
          },
        })),
      },
      systemd: {
        units: Array.from({ length: units }, (_, i) => ({
          name: `bench-${i}.service`,
          enabled: true,
          contents: `[Unit]\nDescription=Bench ${i}\n[Service]\nExecStart=/bin/true\n[Install]\nWantedBy=multi-user.target\n`,
        })),
      },
    },
  }
}

function kubeconfig(server: string): string {
  return toYaml({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'a',
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
    clusters: [{ name: 'a', cluster: { server } }],
    users: [{ name: 'a', user: { token: 'administrators-token' } }],
  })
}
