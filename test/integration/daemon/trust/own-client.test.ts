import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Logger } from '@machinist/core/log'
import { silentLogger } from '@machinist/core/log'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { KubeClient } from '@machinist/kube/client/client'
import { connectTo } from '@machinist/kube/connection/credentials'
import { realFiles } from '@machinist/kube/connection/files'
import { targetLoader } from '@machinist/kube/connection/load'
import { nodes } from '@machinist/kube/kinds/core'
import { HttpTransport } from '@machinist/kube/transport/http-transport'
import type { TestServer } from '@machinist/testing/servers/http-server'
import { answer, serve } from '@machinist/testing/servers/http-server'
import type { KeyPair } from '@machinist/testing/certificates/tls'
import { createAuthority } from '@machinist/testing/certificates/tls'
import { nodePaths } from '../../../../src/api/node-paths.ts'
import { realDisk } from '../../../../src/daemon/host/files/disk.ts'
import { RootedFiles } from '../../../../src/daemon/host/files/rooted-files.ts'
import { writeCA } from '../../../../src/daemon/trust/api-server-ca/kubeconfig-files.ts'

const [before, after] = [createAuthority('api-server-1'), createAuthority('api-server-2')]
const path = nodePaths.kubeletKubeconfig

interface Daemon extends AsyncDisposable {
  readonly client: KubeClient
  readonly server: TestServer
  readonly clock: VirtualClock
  readonly files: RootedFiles
  readonly kubeconfig: string
  readonly errors: string[]
  readonly signal: AbortSignal
}

/** An API server with a certificate of the first CA, and a daemon that trusts it by the kubelet's kubeconfig. */
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
  const errors: string[] = []
  const logger: Logger = {
    ...silentLogger,
    error: (message, error) => void errors.push(`${message}: ${(error as Error).message}`),
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
    errors,
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
  it('continues to request and watch with the CAs that the trust lane wrote to the kubeconfig', async () => {
    await using made = await daemon()
    const { client, server, clock, files, signal } = made
    const ask = async (): Promise<string> => (await client.get(nodes, { name: 'a' })).metadata.name
    const watch = client.watch(nodes, {}, signal)[Symbol.asyncIterator]()
    expect([await ask(), (await watch.next()).value]).toMatchObject(['worker-0', { type: 'ADDED' }])

    await writeCA(files, path, both)
    // The watch ends, as for every change of credentials, and the daemon is not restarted.
    const rest = watch.next()
    await clock.advance(10_000)
    expect(await rest).toEqual({ done: true, value: undefined })

    server.present(serving(after.issueServer()))
    expect(await ask()).toBe('worker-0')
    const again = client.watch(nodes, {}, signal)[Symbol.asyncIterator]()
    expect((await again.next()).value).toMatchObject({ type: 'ADDED' })

    await writeCA(files, path, after.certificate)
    await clock.advance(10_000)
    expect([await ask(), made.errors]).toEqual(['worker-0', []])
  })

  it('reads the kubeconfig at once if it does not trust the server any more', async () => {
    await using made = await daemon()
    const { client, server, files } = made
    await client.get(nodes, { name: 'a' })
    await writeCA(files, path, both)
    server.present(serving(after.issueServer()))
    // No time has passed, so the periodic read of the file is not due yet.
    expect((await client.get(nodes, { name: 'b' })).metadata.name).toBe('worker-0')
  })

  it('keeps the last valid kubeconfig while the file is invalid, logs it once, and uses the next valid one', async () => {
    await using made = await daemon()
    const { client, clock, kubeconfig, errors, files, server } = made
    const good = await files.read(path)
    const ask = async (): Promise<string> => (await client.get(nodes, { name: 'a' })).metadata.name
    for (const broken of ['clusters: [', 'clusters: [']) {
      await writeFile(kubeconfig, broken)
      await clock.advance(10_000)
      expect(await ask()).toBe('worker-0')
    }
    expect(errors).toHaveLength(1)
    expect(errors[0]).toContain('kubeconfig is not usable, the last valid one stays in use')
    await writeFile(kubeconfig, good)
    await writeCA(files, path, both)
    server.present(serving(after.issueServer()))
    await clock.advance(10_000)
    expect(await ask()).toBe('worker-0')
  })
})
