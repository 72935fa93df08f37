import { chmod, mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { FileReader } from '@machinist/core/files'
import { realFiles } from './files.ts'
import { inClusterTarget } from './in-cluster.ts'
import type { LoadOptions } from './load.ts'
import { loadTarget } from './load.ts'

const kubeconfig = (server: string, context = 'main'): string =>
  JSON.stringify({
    'current-context': context,
    clusters: [{ name: 'c', cluster: { server } }],
    contexts: [{ name: context, context: { cluster: 'c' } }],
  })

const serviceAccount = '/var/run/secrets/kubernetes.io/serviceaccount'

/** Files in memory: a test cannot write to the service account directory of the machine. */
function filesOf(texts: Readonly<Record<string, string>>): FileReader {
  return {
    read(path) {
      const text = texts[path]
      const absent = Object.assign(new Error(`no ${path}`), { code: 'ENOENT' })
      return text === undefined ? Promise.reject(absent) : Promise.resolve(text)
    },
  }
}

const everywhere = filesOf({
  '/named': kubeconfig('https://named'),
  '/one': kubeconfig('https://one'),
  '/two': kubeconfig('https://two', 'second'),
  '/home/ann/.kube/config': kubeconfig('https://home'),
  [`${serviceAccount}/token`]: 'token',
  [`${serviceAccount}/namespace`]: 'machinist\n',
})
const inPod = { KUBERNETES_SERVICE_HOST: '10.96.0.1', KUBERNETES_SERVICE_PORT: '6443' }

async function serverOf(options: Partial<LoadOptions>): Promise<string> {
  const target = await loadTarget({ env: {}, home: '/home/ann', files: everywhere, ...options })
  return target.server
}

describe('loadTarget', () => {
  it('uses the first existing source', async () => {
    const env = { ...inPod, KUBECONFIG: '/one:/two' }
    expect(await serverOf({ env, kubeconfig: '/named' })).toBe('https://named')
    expect(await serverOf({ env })).toBe('https://one')
    expect(await serverOf({ env: inPod })).toBe('https://10.96.0.1:6443')
    expect(await serverOf({})).toBe('https://home')
  })

  it('finds a context in a later file, and does not use the service account if a context is given', async () => {
    const env = { KUBECONFIG: '/missing::/one:/two' }
    expect((await loadTarget({ env, home: undefined, files: everywhere })).server).toBe(
      'https://one',
    )
    const second = await loadTarget({ env, home: undefined, files: everywhere, context: 'second' })
    expect(second.origin).toBe('context "second" of /two')
    expect(await serverOf({ env: inPod, context: 'main' })).toBe('https://home')
  })

  it('fails if no source exists', async () => {
    await expect(serverOf({ kubeconfig: '/missing' })).rejects.toThrow(
      'kubeconfig not found at /missing: check the path',
    )
    await expect(serverOf({ env: { KUBECONFIG: '/no:/nay' } })).rejects.toThrow(
      'kubeconfig not found at /no or /nay: check the path',
    )
    for (const home of ['/home/bob', undefined]) {
      await expect(serverOf({ home })).rejects.toThrow(
        'no cluster configured: use --kubeconfig, set KUBECONFIG, or create ~/.kube/config',
      )
    }
  })

  it('fails if a file is unreadable', async () => {
    await using dir = await mkdtempDisposable(join(tmpdir(), 'machinist-load-'))
    await expect(serverOf({ kubeconfig: dir.path, files: realFiles })).rejects.toThrow(
      `cannot read the kubeconfig ${dir.path}: EISDIR`,
    )
  })

  it('works with real files', async () => {
    await using dir = await mkdtempDisposable(join(tmpdir(), 'machinist-load-'))
    await mkdir(join(dir.path, '.kube'))
    await writeFile(join(dir.path, '.kube', 'config'), kubeconfig('https://real'))
    await chmod(join(dir.path, '.kube', 'config'), 0o600)
    expect(await serverOf({ home: dir.path, files: realFiles })).toBe('https://real')
    await expect(
      serverOf({ kubeconfig: join(dir.path, '.kube', 'config', 'x'), files: realFiles }),
    ).rejects.toThrow('kubeconfig not found at')
  })
})

describe('a pod', () => {
  const look = { host: '10.96.0.1', port: '6443', files: everywhere }

  it('has a service account', async () => {
    expect(await inClusterTarget(look)).toEqual({
      origin: `the service account in ${serviceAccount}`,
      server: 'https://10.96.0.1:6443',
      namespace: 'machinist',
      ca: { file: `${serviceAccount}/ca.crt` },
      token: { file: `${serviceAccount}/token` },
    })
  })

  it('supports IPv6 and the default port', async () => {
    const target = await inClusterTarget({ ...look, host: 'fd00::1', port: undefined })
    expect(target?.server).toBe('https://[fd00::1]:443')
  })

  it('without host or token is not detected', async () => {
    expect(await inClusterTarget({ ...look, host: undefined })).toBeUndefined()
    expect(await inClusterTarget({ ...look, files: filesOf({}) })).toBeUndefined()
    const bare = filesOf({ '/sa/token': 'x' })
    const target = await inClusterTarget({ ...look, files: bare, directory: '/sa' })
    expect(target).toMatchObject({ token: { file: '/sa/token' }, namespace: undefined })
  })
})
