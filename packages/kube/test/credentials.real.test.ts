import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { toYaml } from '@machinist/core/encoding/yaml'
import {
  clientFrom,
  clientOver,
  clientTo,
  connectionTo,
  freshNamespace,
  RealInformer,
} from '@machinist/testing/clusters/real-client'
import { describeOnRealCluster } from '@machinist/testing/clusters/real-cluster'
import { clientAuthority } from '@machinist/testing/clusters/start-cluster'
import type { KeyPair } from '@machinist/testing/certificates/tls'
import { createAuthority } from '@machinist/testing/certificates/tls'
import { until } from '@machinist/testing/until'
import type { KubeClient } from '../src/client/client.ts'
import { isForbidden, isNotFound, isUnauthorized } from '../src/failure.ts'
import { configMaps, secrets, serviceAccounts } from '../src/kinds/core.ts'
import { roleBindings, roles } from '../src/kinds/rbac.ts'

describeOnRealCluster('credentials on a real API server', (cluster) => {
  let admin: KubeClient
  let namespace: string
  let directory: string
  const stops: (() => Promise<void>)[] = []

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'machinist-credentials-'))
    admin = await clientFrom(cluster.kubeconfig)
    namespace = await freshNamespace(admin)
  })
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop()
  })
  afterAll(() => rmSync(directory, { recursive: true, force: true }))

  const file = (name: string, content: string): string => {
    const path = join(directory, name)
    writeFileSync(path, content, { mode: 0o700 })
    return path
  }
  const cm = (name: string) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace },
  })
  const place = { origin: 'a test', server: cluster.server, ca: { file: cluster.caFile } }

  const whoAmI = async (client: KubeClient): Promise<unknown> => {
    const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews'
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }
    const answer = await client.raw({ method: 'POST', path, body })
    const { username, groups } = JSON.parse(Buffer.from(answer.body).toString()).status.userInfo
    return { username, groups }
  }

  /** A kubeconfig with this user. */
  const kubeconfig = (name: string, user: object): string =>
    file(
      name,
      toYaml({
        apiVersion: 'v1',
        kind: 'Config',
        'current-context': 'here',
        contexts: [{ name: 'here', context: { cluster: 'here', user: 'me', namespace } }],
        clusters: [
          {
            name: 'here',
            cluster: { server: cluster.server, 'certificate-authority': cluster.caFile },
          },
        ],
        users: [{ name: 'me', user }],
      }),
    )

  it('a token', async () => {
    expect(await whoAmI(admin)).toEqual({
      username: 'admin-0',
      groups: ['system:masters', 'system:authenticated'],
    })
    const stranger = clientTo({ ...place, token: { text: 'nobody-knows-me' } })
    const failure = await stranger.list(configMaps, { namespace }).catch((error: unknown) => error)
    expect(isUnauthorized(failure)).toBe(true)
    expect(String(failure)).not.toContain('nobody-knows-me')
  })

  it('an untrusted server: nothing is sent', async () => {
    const ca = { text: createAuthority('somebody else').certificate }
    const client = clientTo({ ...place, ca, token: { text: cluster.token } })
    await expect(client.list(configMaps, { namespace })).rejects.toThrow(
      /TLS handshake with 127\.0\.0\.1:\d+ failed: unable to verify the first certificate/,
    )
  })

  it('a client certificate, inline and in files', async () => {
    const pair = clientAuthority(cluster).issueClient('ann', 'system:masters', 'people')
    const inline = kubeconfig('inline', {
      'client-certificate-data': Buffer.from(pair.certificate).toString('base64'),
      'client-key-data': Buffer.from(pair.key).toString('base64'),
    })
    const ann = { username: 'ann', groups: ['system:masters', 'people', 'system:authenticated'] }
    expect(await whoAmI(await clientFrom(inline))).toEqual(ann)
    file('ann.crt', pair.certificate)
    file('ann.key', pair.key)
    // Relative to the kubeconfig, as in kubectl.
    const files = kubeconfig('files', { 'client-certificate': 'ann.crt', 'client-key': 'ann.key' })
    expect(await whoAmI(await clientFrom(files))).toEqual(ann)
  })

  it('impersonation', async () => {
    const user = { token: cluster.token, as: 'bob' }
    const client = await clientFrom(kubeconfig('as-bob', { ...user, 'as-groups': ['guests'] }))
    expect(await whoAmI(client)).toEqual({
      username: 'bob',
      groups: ['guests', 'system:authenticated'],
    })
  })

  it('a missing permission, with the message of the server', async () => {
    const pair = clientAuthority(cluster).issueClient('eve')
    const eve = clientTo({ ...place, cert: { text: pair.certificate }, key: { text: pair.key } })
    const failure = await eve.list(configMaps, { namespace }).catch((error: unknown) => error)
    expect(isForbidden(failure)).toBe(true)
    expect(String(failure)).toContain(
      `User "eve" cannot list resource "configmaps" in API group "" in the namespace "${namespace}"`,
    )
  })

  it('a client certificate that is replaced during a watch', async () => {
    const write = ({ certificate, key }: KeyPair): void => {
      file('rotating.crt', certificate)
      file('rotating.key', key)
    }
    const authority = clientAuthority(cluster)
    write(authority.issueClient('before', 'system:masters'))
    const connection = connectionTo(
      {
        ...place,
        cert: { file: join(directory, 'rotating.crt') },
        key: { file: join(directory, 'rotating.key') },
      },
      50,
    )
    const client = clientOver(connection)
    const real = new RealInformer(
      client.listWatch(configMaps, { namespace, labels: 'suite=certificates' }),
    )
    stops.push(() => real.stop())
    expect(await real.informer.synced()).toBe(true)
    const create = (name: string): Promise<unknown> =>
      admin.create(configMaps, {
        ...cm(name),
        metadata: { name, namespace, labels: { suite: 'certificates' } },
      })
    await create('c0')
    write(authority.issueClient('after', 'system:masters'))
    for (let i = 1; i < 50; i++) await create(`c${i}`)
    await until('all are known', () => real.informer.size === 50)
    expect(await whoAmI(client)).toMatchObject({ username: 'after' })
    await create('c50')
    await until('the last one is known', () => real.informer.size === 51)
    expect(real.changes).toEqual(Array.from({ length: 51 }, (_, i) => `added c${i}`))
    expect(real.lists).toBe(1)
  })

  it('a service account token that is replaced while the old one is rejected', async () => {
    await admin.create(serviceAccounts, { ...cm('daemon'), kind: 'ServiceAccount' })
    await admin.create(roles, {
      ...cm('reader'),
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] }],
    })
    await admin.create(roleBindings, {
      ...cm('reader'),
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
      subjects: [{ kind: 'ServiceAccount', name: 'daemon', namespace }],
    })
    /** A token that is valid as long as its Secret exists. */
    const issue = async (secret: string): Promise<string> => {
      const { metadata } = await admin.create(secrets, { ...cm(secret), kind: 'Secret' })
      const boundObjectRef = { apiVersion: 'v1', kind: 'Secret', name: secret, uid: metadata.uid }
      const request = {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: { boundObjectRef },
      }
      const key = { namespace, name: 'daemon' }
      const { status } = await admin.act<{ status: { token: string } }>(
        serviceAccounts,
        key,
        request,
        {
          subresource: 'token',
        },
      )
      return status.token
    }
    const path = file('token', await issue('first'))
    const client = clientOver(connectionTo({ ...place, token: { file: path } }, 50))
    const real = new RealInformer(
      client.listWatch(configMaps, { namespace, labels: 'suite=tokens' }),
    )
    stops.push(() => real.stop())
    expect(await real.informer.synced()).toBe(true)

    const refused = await client.create(configMaps, cm('not-mine')).catch((error: unknown) => error)
    expect(isForbidden(refused)).toBe(true)

    const labels = { suite: 'tokens' }
    const old = clientTo({ ...place, token: { text: await issue('second') } })
    file('token', await issue('third'))
    await admin.remove(secrets, { namespace, name: 'first' })
    await admin.remove(secrets, { namespace, name: 'second' })
    // The server caches a valid token for ten seconds.
    await until('a token whose secret is gone is refused', async () => {
      const failure = await old
        .get(configMaps, { namespace, name: 'none' })
        .catch((error: unknown) => error)
      return isUnauthorized(failure)
    })
    for (let i = 0; i < 20; i++) {
      await admin.create(configMaps, {
        ...cm(`t${i}`),
        metadata: { name: `t${i}`, namespace, labels },
      })
    }
    await until('all are known', () => real.informer.size === 20)
    expect(real.changes).toEqual(Array.from({ length: 20 }, (_, i) => `added t${i}`))
    expect(real.lists).toBe(1)
    const failure = await client
      .get(configMaps, { namespace, name: 'none' })
      .catch((error: unknown) => error)
    expect(isNotFound(failure)).toBe(true)
  })

  it('a credential plugin, which runs again after a rejection', async () => {
    const tokens = join(directory, 'plugin-token')
    const plugin = file(
      'plugin.sh',
      `#!/bin/sh
echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"'$(cat ${tokens})'"}}'
`,
    )
    file('plugin-token', 'out-of-date')
    const config = kubeconfig('plugged', {
      exec: {
        apiVersion: 'client.authentication.k8s.io/v1',
        command: plugin,
        interactiveMode: 'Never',
      },
    })
    const client = await clientFrom(config)
    const failure = await client.list(configMaps, { namespace }).catch((error: unknown) => error)
    expect(isUnauthorized(failure)).toBe(true)
    file('plugin-token', cluster.token)
    expect(await whoAmI(client)).toMatchObject({ username: 'admin-0' })
  })
})
