import type { ChildProcess } from 'node:child_process'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { FaultyServer } from '@machinist/testing/servers/faulty-server/faulty-server'
import type { TestNode } from '@machinist/testing/servers/informer-harness'
import type { KeyPair } from '@machinist/testing/certificates/tls'

export interface ServerPlan {
  readonly objects: number
  /** Approximate size of one object as JSON. */
  readonly bytes: number
  readonly tls?: KeyPair
  readonly token?: string
}

/** An API server in a separate process, so that its work is not measured. */
export class ServerProcess {
  readonly url: string
  readonly #child: ChildProcess

  private constructor(child: ChildProcess, url: string) {
    this.#child = child
    this.url = url
  }

  static async start(plan: ServerPlan): Promise<ServerProcess> {
    const child = fork(import.meta.filename)
    child.send(plan)
    const [url] = (await once(child, 'message')) as [string]
    return new ServerProcess(child, url)
  }

  /** Writes this many changes as fast as possible. */
  change(count: number): void {
    this.#child.send(count)
  }

  async stop(): Promise<void> {
    const gone = once(this.#child, 'exit')
    this.#child.kill()
    await gone
  }
}

/** An object of about the given size with typical labels and annotations of a Node. */
export function benchNode(index: number, bytes: number, version: number): TestNode {
  const name = `worker-${index}.example.com`
  const labels = { 'kubernetes.io/hostname': name, 'node-role.kubernetes.io/worker': '' }
  const annotations = { 'machineconfiguration.openshift.io/state': 'Done', version: `${version}` }
  const text = 'x'.repeat(Math.max(bytes - 400, 0))
  const metadata = { name, labels, annotations, creationTimestamp: '2026-01-01T00:00:00Z' }
  return { apiVersion: 'v1', kind: 'Node', metadata, spec: { text } }
}

async function serve({ objects, bytes, tls, token }: ServerPlan): Promise<void> {
  const server = await FaultyServer.start<TestNode>({ tls, token })
  for (let i = 0; i < objects; i++) server.store.put(benchNode(i, bytes, 0))
  server.store.compact()
  let version = 0
  process.on('message', (count: number) => {
    for (let i = 0; i < count; i++) server.store.put(benchNode(i % objects, bytes, ++version))
    // Enough for a watch that is opened late, with bounded memory.
    server.store.compact(2 * count)
  })
  process.send?.(server.url)
}

if (process.argv[1] === import.meta.filename) {
  process.once('message', (plan: ServerPlan) => void serve(plan))
}
