import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { parseYaml } from '@machinist/core/encoding/yaml'
import type { ServerAddress } from './api-connection.ts'

export interface EmbeddedServer extends ServerAddress {
  readonly pid: number
  /** Time from the start of the process to the first 200 of `/readyz`. */
  readonly readyMs: number
  stop(): Promise<void>
}

const machinist = join(import.meta.dirname, '../bin/machinist')

/** Starts `machinist apiserver` and waits until it is ready. */
export async function startEmbeddedServer(
  data: string,
  env: NodeJS.ProcessEnv = {},
): Promise<EmbeddedServer> {
  const began = performance.now()
  const child = spawn(machinist, ['apiserver', '--data', data, '--listen', '127.0.0.1:0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  })
  const stop = async (): Promise<void> => {
    const gone = once(child, 'exit')
    child.kill()
    await gone
  }
  const line = await Promise.race([once(child.stdout, 'data'), once(child, 'exit')])
  const [, server, kubeconfig] = /^ready: (\S+), kubeconfig (\S+)/.exec(String(line[0])) ?? []
  if (server === undefined || kubeconfig === undefined) {
    throw new Error('machinist apiserver exited before it was ready')
  }
  const { clusters, users } = parseYaml(readFileSync(kubeconfig, 'utf8'), kubeconfig) as Kubeconfig
  const ca = Buffer.from(clusters[0]!.cluster['certificate-authority-data'], 'base64').toString()
  const code = await readiness(server, ca)
  const readyMs = performance.now() - began
  if (code !== 200) throw new Error(`machinist apiserver is not ready: ${code}`)
  return { server, ca, token: users[0]!.user.token, pid: child.pid!, readyMs, stop }
}

function readiness(server: string, ca: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const outgoing = request(`${server}/readyz`, { ca, agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    outgoing.on('error', reject).end()
  })
}

interface Kubeconfig {
  readonly clusters: readonly { cluster: { 'certificate-authority-data': string } }[]
  readonly users: readonly { user: { token: string } }[]
}
