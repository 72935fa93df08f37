import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@machinist/core/clock'
import { silentLogger } from '@machinist/core/log'
import { startEmbeddedApi } from '@machinist/apiserver/embedded/embedded-api'
import { KubeClient } from '@machinist/kube/client/client'
import { connectTo } from '@machinist/kube/connection/credentials'
import { realFiles } from '@machinist/kube/connection/files'
import { targetFromKubeconfig } from '@machinist/kube/connection/kubeconfig'
import { commandRunner } from '@machinist/kube/connection/run-command'
import { HttpTransport } from '@machinist/kube/transport/http-transport'
import { installKinds } from '../../../../src/process/install-kinds.ts'

export interface Api {
  readonly client: KubeClient
  readonly kubeconfig: string
  readonly directory: string
  stop(): Promise<void>
}

/** The embedded API server over real HTTPS, with Machinist's CRDs installed. */
export async function startApi(): Promise<Api> {
  const directory = mkdtempSync(join(tmpdir(), 'machinist-daemon-'))
  const options = { data: join(directory, 'data'), host: '127.0.0.1', port: 0, log: silentLogger }
  const api = await startEmbeddedApi(options)
  await installKinds(api.kubeconfig)
  const { client, close } = await clientOf(api.kubeconfig)
  return {
    client,
    kubeconfig: api.kubeconfig,
    directory,
    stop: async () => {
      close()
      await api.stop()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

export interface Reached {
  readonly client: KubeClient
  readonly transport: HttpTransport
  readonly close: () => void
}

export async function clientOf(kubeconfig: string): Promise<Reached> {
  const clock = systemClock
  const text = await realFiles.read(kubeconfig)
  const target = await targetFromKubeconfig([{ path: kubeconfig, text }])
  const run = commandRunner({ clock, env: {} })
  const connection = connectTo({ target, files: realFiles, run, clock })
  const transport = new HttpTransport({ connection, clock })
  return { client: new KubeClient({ transport, clock }), transport, close: () => transport.close() }
}
