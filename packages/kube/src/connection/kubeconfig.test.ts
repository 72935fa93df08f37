import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { InvalidInput } from '@machinist/core/errors'
import { targetFromKubeconfig } from './kubeconfig.ts'
import type { Target } from './target.ts'

const base64 = (text: string): string => Buffer.from(text).toString('base64')

interface Parts {
  cluster?: object
  user?: object
  context?: object
}

/** A kubeconfig with one context in JSON, which is YAML; the parts replace the default entries. */
function config({ cluster, user, context }: Parts = {}): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'main',
    clusters: [{ name: 'c', cluster: { server: 'https://api.example.com:6443', ...cluster } }],
    users: [{ name: 'u', user: user ?? { token: 'secret-token' } }],
    contexts: [{ name: 'main', context: { cluster: 'c', user: 'u', ...context } }],
  })
}

const target = (text: string, context?: string): Promise<Target> =>
  targetFromKubeconfig([{ path: '/home/ann/.kube/config', text }], context)

describe('a kubeconfig', () => {
  it('of kubeadm is read', async () => {
    const text = `apiVersion: v1
kind: Config
clusters:
- cluster:
    certificate-authority-data: ${base64('the CA')}
    server: https://10.0.0.1:6443
  name: kubernetes
contexts:
- context:
    cluster: kubernetes
    user: kubernetes-admin
    namespace: kube-system
  name: kubernetes-admin@kubernetes
current-context: kubernetes-admin@kubernetes
preferences: {}
users:
- name: kubernetes-admin
  user:
    client-certificate-data: ${base64('the certificate')}
    client-key-data: ${base64('the key')}
`
    expect(await target(text)).toEqual({
      origin: 'context "kubernetes-admin@kubernetes" of /home/ann/.kube/config',
      server: 'https://10.0.0.1:6443',
      namespace: 'kube-system',
      ca: { text: 'the CA' },
      insecure: false,
      cert: { text: 'the certificate' },
      key: { text: 'the key' },
    })
  })

  it('resolves paths relative to itself', async () => {
    const text = config({
      cluster: { 'certificate-authority': 'pki/ca.crt', 'tls-server-name': 'kubernetes' },
      user: { 'client-certificate': '../client.crt', 'client-key': '/etc/client.key' },
    })
    expect(await target(text)).toMatchObject({
      ca: { file: '/home/ann/.kube/pki/ca.crt' },
      serverName: 'kubernetes',
      cert: { file: '/home/ann/client.crt' },
      key: { file: '/etc/client.key' },
    })
  })

  it('prefers data over files, and tokenFile over token', async () => {
    const text = config({
      cluster: { 'certificate-authority': 'a', 'certificate-authority-data': base64('inline') },
      user: { token: 'old', tokenFile: 'token' },
    })
    expect(await target(text)).toMatchObject({
      ca: { text: 'inline' },
      token: { file: '/home/ann/.kube/token' },
    })
  })

  it('can contain impersonation and basic authentication', async () => {
    const user = {
      username: 'ann',
      password: 'pw',
      as: 'system:admin',
      'as-uid': '42',
      'as-groups': ['system:masters'],
      'as-user-extra': { reason: ['on call'] },
    }
    expect(await target(config({ user }))).toMatchObject({
      basic: { username: 'ann', password: 'pw' },
      impersonate: {
        user: 'system:admin',
        uid: '42',
        groups: ['system:masters'],
        extra: { reason: ['on call'] },
      },
    })
  })

  it('can omit the user and disable TLS verification', async () => {
    const text = config({
      cluster: { 'insecure-skip-tls-verify': true },
      context: { user: '' },
    })
    expect(await target(text)).toEqual({
      origin: 'context "main" of /home/ann/.kube/config',
      server: 'https://api.example.com:6443',
      insecure: true,
    })
  })

  it('can contain a credential plugin', async () => {
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: './bin/login',
      args: ['--cluster', 'c'],
      env: [{ name: 'PROFILE', value: 'dev' }],
      interactiveMode: 'IfAvailable',
      installHint: 'Install it.',
      provideClusterInfo: true,
    }
    const extensions = [{ name: 'client.authentication.k8s.io/exec', extension: { audience: 'a' } }]
    expect((await target(config({ user: { exec }, cluster: { extensions } }))).exec).toEqual({
      apiVersion: 'client.authentication.k8s.io/v1',
      command: '/home/ann/.kube/bin/login',
      args: ['--cluster', 'c'],
      env: { PROFILE: 'dev' },
      installHint: 'Install it.',
      provideClusterInfo: true,
      clusterConfig: { audience: 'a' },
    })
    const older = { apiVersion: 'client.authentication.k8s.io/v1beta1', command: 'aws' }
    expect((await target(config({ user: { exec: older } }))).exec).toEqual({
      apiVersion: 'client.authentication.k8s.io/v1beta1',
      command: 'aws',
      args: [],
      env: {},
      provideClusterInfo: false,
    })
    const both = await target(config({ user: { exec: older, token: 't' } }))
    expect(both).toMatchObject({ exec: undefined, token: { text: 't' } })
  })
})

describe('several files', () => {
  const file = (path: string, content: object): { path: string; text: string } => ({
    path,
    text: JSON.stringify(content),
  })
  const cluster = (name: string, server: string): object => ({ name, cluster: { server } })

  it('are merged by entry, and the first definition wins', async () => {
    const context = { name: 'x', context: { cluster: 'c', user: 'u' } }
    const merged = await targetFromKubeconfig([
      file('/a/config', { clusters: [cluster('c', 'https://first')] }),
      file('/b/config', {
        'current-context': 'x',
        clusters: [cluster('c', 'https://second')],
        contexts: [context],
        users: [{ name: 'u', user: { tokenFile: 'token' } }],
      }),
      file('/c/config', { 'current-context': 'y', users: [{ name: 'u', user: { token: 'no' } }] }),
    ])
    expect(merged).toMatchObject({
      origin: 'context "x" of /b/config',
      server: 'https://first',
      token: { file: '/b/token' },
    })
  })
})

describe('an invalid kubeconfig fails with the file and the fix', () => {
  const at = '/home/ann/.kube/config: '
  const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: 'x' }
  it.each<[string, string, string]>([
    ['not YAML', 'a: [', `${at}not valid YAML: `],
    [
      'a map as a key, whose content is not printed',
      'users: [{name: u, user: {{token: canary-7d1f}: 1}}]',
      `${at}not valid YAML: A map or a list cannot be a key; quote the key at line 1, column 26`,
    ],
    ['not a mapping', '- 1', `${at}must be a mapping (key: value)`],
    ['another kind', '{"kind":"Pod"}', `${at}kind must be Config`],
    ['empty', '', `${at}no current-context is set. Choose a context: none`],
    [
      'no current context',
      config().replace('"current-context":"main",', ''),
      `${at}no current-context is set. Choose a context: main`,
    ],
    [
      'a missing cluster',
      config({ context: { cluster: 'z' } }),
      `${at}cluster "z" does not exist. Known clusters: c`,
    ],
    [
      'a missing user',
      config({ context: { user: 'z' } }),
      `${at}user "z" does not exist. Known users: u`,
    ],
    [
      'no server',
      config({ cluster: { server: '' } }),
      `${at}clusters[0].cluster.server is missing`,
    ],
    [
      'a server without protocol',
      config({ cluster: { server: 'api.example.com' } }),
      `${at}clusters[0].cluster.server must be a URL such as https://cluster.example.com:6443`,
    ],
    [
      'a proxy',
      config({ cluster: { 'proxy-url': 'http://proxy' } }),
      `${at}clusters[0].cluster.proxy-url is not supported: remove it and set server to an address that is reachable directly`,
    ],
    [
      'CA and disabled verification',
      config({ cluster: { 'insecure-skip-tls-verify': true, 'certificate-authority': 'x' } }),
      `${at}clusters[0].cluster.insecure-skip-tls-verify and certificate-authority are mutually exclusive: remove one`,
    ],
    [
      'a flag that is not a boolean',
      config({ cluster: { 'insecure-skip-tls-verify': 'yes' } }),
      `${at}clusters[0].cluster.insecure-skip-tls-verify must be true or false`,
    ],
    [
      'an auth provider',
      config({ user: { 'auth-provider': { name: 'gcp' } } }),
      `${at}users[0].user.auth-provider is no longer supported by Kubernetes: use an exec plugin or a token`,
    ],
    [
      'a certificate without key',
      config({ user: { 'client-certificate': 'x' } }),
      `${at}users[0].user.client-certificate is set but client-key is missing`,
    ],
    [
      'a key without certificate',
      config({ user: { 'client-key': 'x' } }),
      `${at}users[0].user.client-key is set but client-certificate is missing`,
    ],
    [
      'data that is not base64',
      config({ user: { 'client-certificate-data': '-----BEGIN', 'client-key-data': 'eA==' } }),
      `${at}users[0].user.client-certificate-data is not base64`,
    ],
    [
      'a number for a token',
      config({ user: { token: 1234 } }),
      `${at}users[0].user.token must be a string; put it in quotes`,
    ],
    [
      'token and username',
      config({ user: { token: 'a', username: 'b' } }),
      `${at}users[0].user.token and username are mutually exclusive: remove one`,
    ],
    [
      'groups without a user',
      config({ user: { 'as-groups': ['a'] } }),
      `${at}users[0].user.as is missing: as-groups, as-uid and as-user-extra require it`,
    ],
    ['users that are not a list', '{"users":{}}', `${at}users must be a list`],
    [
      'a duplicate name',
      '{"users":[{"name":"a","user":{}},{"name":"a","user":{}}]}',
      `${at}users contains "a" twice`,
    ],
    ['no name', '{"users":[{"user":{}}]}', `${at}users[0].name is missing`],
    [
      'an unsupported plugin version',
      config({ user: { exec: { ...exec, apiVersion: 'client.authentication.k8s.io/v1alpha1' } } }),
      `${at}users[0].user.exec.apiVersion must be client.authentication.k8s.io/v1 or client.authentication.k8s.io/v1beta1`,
    ],
    [
      'a plugin without interactiveMode',
      config({ user: { exec } }),
      `${at}users[0].user.exec.interactiveMode is missing: set Never or IfAvailable`,
    ],
    [
      'an interactive plugin',
      config({ user: { exec: { ...exec, interactiveMode: 'Always' } } }),
      `${at}users[0].user.exec.interactiveMode is Always, but there is no terminal for prompts: use Never or IfAvailable`,
    ],
    [
      'a plugin with a variable without a name',
      config({ user: { exec: { ...exec, interactiveMode: 'Never', env: [{ value: 'x' }] } } }),
      `${at}users[0].user.exec.env[0].name is missing`,
    ],
  ])('%s', async (_, text, message) => {
    const failure = await target(text).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(InvalidInput)
    expect((failure as Error).message.startsWith(message)).toBe(true)
    expect(failure).not.toHaveProperty('message', expect.stringContaining('secret-token'))
  })

  it('a missing context', async () => {
    await expect(target(config(), 'other')).rejects.toThrow(
      `${at}context "other" does not exist. Known contexts: main`,
    )
  })
})

describe('any text', () => {
  const fields = `server certificate-authority certificate-authority-data proxy-url token tokenFile
    insecure-skip-tls-verify exec as as-groups as-user-extra username extensions client-key cluster user
    client-certificate-data auth-provider command args env apiVersion interactiveMode name __proto__`.split(
    /\s+/,
  )
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom('https://a', 'c', 'u', 'client.authentication.k8s.io/v1', 'Never', '', null),
      fc.jsonValue({ maxDepth: 1 }),
      fc.array(tie('any'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...fields), tie('any'), { maxKeys: 5 }),
    ),
  })).any

  it('returns a target or InvalidInput, and never a secret', async () => {
    const parts = fc.record({ cluster: value, user: value, context: value }, { requiredKeys: [] })
    await fc.assert(
      fc.asyncProperty(parts, async (odd) => {
        const entry = (key: keyof Parts, usual: object): unknown =>
          key in odd ? odd[key as keyof typeof odd] : usual
        const text = JSON.stringify({
          'current-context': 'main',
          clusters: [{ name: 'c', cluster: entry('cluster', { server: 'https://a' }) }],
          users: [{ name: 'u', user: entry('user', { token: 'secret-token' }) }],
          contexts: [{ name: 'main', context: entry('context', { cluster: 'c', user: 'u' }) }],
        })
        const outcome = await target(text).catch((error: unknown) => error)
        const refused = outcome instanceof InvalidInput
        expect(refused || 'server' in (outcome as Target)).toBe(true)
        expect(refused ? outcome.message : '').not.toContain('secret-token')
      }),
      { numRuns: 300 },
    )
  })

  it('without structure returns a target or InvalidInput', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ maxLength: 60 }), async (text) => {
        const outcome = await target(text).catch((error: unknown) => error)
        expect(outcome).toBeInstanceOf(InvalidInput)
      }),
      { numRuns: 200 },
    )
  })
})
