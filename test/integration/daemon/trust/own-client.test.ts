import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { nodePaths } from '../../../../src/api/node-paths.ts'
import type { Logger } from '@machinist/core/log'
import { silentLogger } from '@machinist/core/log'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { realDisk } from '../../../../src/daemon/host/disk.ts'
import { RootedFiles } from '../../../../src/daemon/host/rooted-files.ts'
import { putCA } from '../../../../src/daemon/trust/api-server-ca-files.ts'
import { KubeClient } from '@machinist/kube/client'
import { connectTo } from '@machinist/kube/connection/credentials'
import { realFiles } from '@machinist/kube/connection/files'
import { targetLoader } from '@machinist/kube/connection/load'
import { nodes } from '@machinist/kube/kinds/core'
import { HttpTransport } from '@machinist/kube/transport-http'
import type { TestServer } from '@machinist/testing/http-server'
import { answer, serve } from '@machinist/testing/http-server'
import type { KeyPair } from '@machinist/testing/tls'
import { createAuthority } from '@machinist/testing/tls'

const [before, after] = [createAuthority('api-server-1'), createAuthority('api-server-2')]
const path = nodePaths.kubeletKubeconfig

interface Daemon extends AsyncDisposable {
  readonly client: KubeClient
  readonly server: TestServer
  readonly clock: VirtualClock
  readonly files: RootedFiles
  readonly kubeconfig: string
  readonly complaints: string[]
  readonly signal: AbortSignal
}

/** An API server that shows a certificate of the first CA, and a daemon that knows it from the kubelet's kubeconfig. */
async function daemon(): Promise<Daemon> {
  const directory = await mkdtempDisposable(join(tmpdir(), 'machinist-own-client-'))
  const over = new AbortController()
  const server = await serve((request, response) => {
    const object = { kind: 'Node', metadata: { name: 'worker-0', resourceVersion: '7' } }
    if (!request.url!.includes('watch=true')) return answer(response, 200, object)
    response.write(`${JSON.stringify({ type: 'ADDED', object })}\n`)
  }, serving(before.issueServer()))
  const files = new RootedFiles({ disk: realDisk, root: directory.path })
  for (const each of ['/var', '/var/lib', '/var/lib/kubelet']) {
    await files.makeDirectory(each, { mode: 0o755, uid: process.getuid!(), gid: process.getgid!() })
  }
  const kubeconfig = join(directory.path, path)
  const data = Buffer.from(before.certificate).toString('base64')
  await writeFile(
    kubeconfig,
    `clusters:
- name: local
  cluster:
    server: ${server.url}
    certificate-authority-data: ${data}
contexts:
- {name: kubelet, context: {cluster: local, user: kubelet}}
current-context: kubelet
users:
- name: kubelet
  user: {token: abc}
`,
    { mode: 0o600 },
  )
  const clock = new VirtualClock()
  const complaints: string[] = []
  const logger: Logger = {
    ...silentLogger,
    error: (message, error) => void complaints.push(`${message}: ${(error as Error).message}`),
  }
  const reload = targetLoader({ kubeconfig, env: {}, home: undefined, files: realFiles })
  const run = (): never => {
    throw new Error('no plugin here')
  }
  const target = await reload()
  const connection = connectTo({ target, reload, files: realFiles, run, clock, logger })
  const transport = new HttpTransport({ connection, clock })
  return {
    client: new KubeClient({ transport, clock }),
    server,
    clock,
    files,
    kubeconfig,
    complaints,
    signal: over.signal,
    async [Symbol.asyncDispose]() {
      over.abort()
      transport.close()
      await server[Symbol.asyncDispose]()
      await directory[Symbol.asyncDispose]()
    },
  }
}

const serving = ({ certificate: cert, key }: KeyPair): { cert: string; key: string } => ({
  cert,
  key,
})

const both = before.certificate + after.certificate

describe('the daemon, when the API server gets a certificate of another CA', () => {
  it('goes on asking and watching, with what the trust lane put into the kubeconfig', async () => {
    await using made = await daemon()
    const { client, server, clock, files, signal } = made
    const ask = async (): Promise<string> => (await client.get(nodes, { name: 'a' })).metadata.name
    const watch = client.watch(nodes, {}, signal)[Symbol.asyncIterator]()
    expect([await ask(), (await watch.next()).value]).toMatchObject(['worker-0', { type: 'ADDED' }])

    await putCA(files, path, both)
    // The watch is told to begin anew, as for every change of credentials; nobody is restarted.
    const rest = watch.next()
    await clock.advance(10_000)
    expect(await rest).toEqual({ done: true, value: undefined })

    server.present(serving(after.issueServer()))
    expect(await ask()).toBe('worker-0')
    const again = client.watch(nodes, {}, signal)[Symbol.asyncIterator]()
    expect((await again.next()).value).toMatchObject({ type: 'ADDED' })

    await putCA(files, path, after.certificate)
    await clock.advance(10_000)
    expect([await ask(), made.complaints]).toEqual(['worker-0', []])
  })

  it('looks at once if the server is suddenly a stranger', async () => {
    await using made = await daemon()
    const { client, server, files } = made
    await client.get(nodes, { name: 'a' })
    await putCA(files, path, both)
    server.present(serving(after.issueServer()))
    // No time has passed: nobody would have looked at the file yet.
    expect((await client.get(nodes, { name: 'b' })).metadata.name).toBe('worker-0')
  })

  it('keeps what it has while a kubeconfig is useless, says so once, and takes the next good one', async () => {
    await using made = await daemon()
    const { client, clock, kubeconfig, complaints, files, server } = made
    const good = await files.read(path)
    const ask = async (): Promise<string> => (await client.get(nodes, { name: 'a' })).metadata.name
    for (const broken of ['clusters: [', 'clusters: [']) {
      await writeFile(kubeconfig, broken)
      await clock.advance(10_000)
      expect(await ask()).toBe('worker-0')
    }
    expect(complaints).toHaveLength(1)
    expect(complaints[0]).toContain('the kubeconfig is unusable, the last good one stays in use')
    await writeFile(kubeconfig, good)
    await putCA(files, path, both)
    server.present(serving(after.issueServer()))
    await clock.advance(10_000)
    expect(await ask()).toBe('worker-0')
  })
})
