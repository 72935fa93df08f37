import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { trustRotationKind } from '../../../../src/api/kinds/trust-rotation.ts'
import { trustRotations } from '../../../../src/api/resources.ts'
import { run } from '../../../../src/cli/program.ts'
import { secrets } from '@machinist/kube/kinds/core'
import type { PolicyRule } from '@machinist/kube/kinds/rbac'
import { clusterRoleBindings, clusterRoles } from '@machinist/kube/kinds/rbac'
import { mergePatch } from '@machinist/kube/patch'
import type { RunningServer } from '@machinist/apiserver/running-server.fixture'
import { startServer } from '@machinist/apiserver/running-server.fixture'
import { installDefinitions } from '../../../../src/api/definitions.fixture.ts'
import { makeNamespace } from '../../signer/rotation-world.ts'
import { newCA, oldCA, preparing, rotation } from '../../../../src/views/rotate/sample.fixture.ts'

const directory = mkdtempSync(join(tmpdir(), 'machinist-rotate-'))
const place = { namespace: 'keys', name: 'kubelet-signer' }
const notAfter = 'auth.openshift.io/certificate-not-after'

interface Ran {
  readonly code: number
  readonly out: string
  readonly error: string
}

/** Nobody signs here: what the command itself says and does. */
describe('the command line of machinist rotate', () => {
  let server: RunningServer
  beforeAll(async () => {
    server = await startServer()
  })
  afterAll(async () => {
    rmSync(directory, { recursive: true })
    await server[Symbol.asyncDispose]()
  })

  async function ran(args: readonly string[], token = 'administrators-token'): Promise<Ran> {
    const file = join(directory, 'kubeconfig')
    const kubeconfig = {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'c',
      clusters: [{ name: 'c', cluster: { server: server.url } }],
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
      users: [{ name: 'u', user: { token } }],
    }
    writeFileSync(file, JSON.stringify(kubeconfig))
    let [out, error] = ['', '']
    const code = await run(['rotate', '--kubeconfig', file, ...args], {
      out: (text) => void (out += text),
      error: (text) => void (error += text),
      read: () => Promise.reject(new Error('nothing is read')),
      stopped: () => new Promise(() => {}),
    })
    return { code, out, error }
  }

  const failed = (error: string): Ran => ({ code: 1, out: '', error: `machinist: ${error}\n` })

  async function allow(...rules: PolicyRule[]): Promise<void> {
    const name = 'rotating'
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name } as const
    const { client } = server
    await client.remove(clusterRoles, { name }).catch(() => {})
    await client.create(clusterRoles, { metadata: { name }, rules })
    const subjects = [{ kind: 'User' as const, name: 'nobody' }]
    await client
      .create(clusterRoleBindings, { metadata: { name }, roleRef, subjects })
      .catch(() => {})
  }

  const look: PolicyRule = {
    verbs: ['get', 'list', 'watch'],
    apiGroups: ['machinist.dev'],
    resources: ['trustrotations'],
  }

  it.each([
    [['--status', '--back']],
    [['--status', '--dry-run']],
    [['--back', '--without', 'a']],
    [['--without', ' , ']],
    [['--timeout', 'long']],
    [['-o', 'yaml']],
    [['a', 'b']],
  ])('takes %j for wrong use', async (args) => {
    const { code, out, error } = await ran(args)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(error).toMatch(/^machinist: .* \(see machinist rotate --help\)\n$/)
  })

  it('says what is missing: the kind, the object, the right', async () => {
    const { client } = server
    expect(await ran([])).toEqual(
      failed(
        'this cluster does not know TrustRotations: install them with machinist crds | kubectl apply --server-side -f -',
      ),
    )
    await installDefinitions(client, [trustRotationKind])
    await makeNamespace(client)
    expect((await ran([])).error).toMatch(/^machinist: there is no TrustRotation in this cluster:/)
    const { spec } = rotation(undefined, { signer: place })
    await client.create(trustRotations, { metadata: { name: 'kubelet' }, spec })
    expect(await ran(['other'])).toEqual(
      failed('there is no TrustRotation other; there are: kubelet (kubelet-client-ca)'),
    )
    expect(await ran([], 'nobodys-token')).toEqual(
      failed(
        'you may not list TrustRotations: ask for a role with get, list and watch of trustrotations.machinist.dev',
      ),
    )
    const missing = await ran([])
    expect(missing.code).toBe(1)
    expect(missing.error).toMatch(
      /^machinist: the signer Secret keys\/kubelet-signer of kubelet is not there/,
    )
  })

  it('needs no right to read the Secret', async () => {
    const { client } = server
    await client.create(secrets, {
      metadata: { ...place, annotations: { [notAfter]: '2026-11-30T14:00:00Z' } },
      type: 'kubernetes.io/tls',
      stringData: { 'tls.crt': 'CANARY', 'tls.key': 'CANARY' },
    })
    await allow(look)
    const refused = await ran(['--dry-run'], 'nobodys-token')
    expect(refused.error).toBe(
      'machinist: you may not change the signer Secret keys/kubelet-signer: ask for a role that may patch it\n',
    )
    await allow(look, { verbs: ['patch'], apiGroups: [''], resources: ['secrets'] })
    const dry = await ran(['--dry-run', '-o', 'json'], 'nobodys-token')
    expect({ code: dry.code, error: dry.error }).toEqual({ code: 0, error: '' })
    expect(JSON.parse(dry.out)).toMatchObject({
      action: 'rotate',
      dryRun: true,
      plan: { rotation: 'kubelet' },
    })
    const answer = await client.patchMetadata(secrets, place, mergePatch({ metadata: {} }))
    expect(answer.metadata.annotations).toEqual({ [notAfter]: '2026-11-30T14:00:00Z' })
    expect(Object.keys(answer).toSorted()).toEqual(['apiVersion', 'kind', 'metadata'])
  })

  it('tells how it is, and what may not be changed', async () => {
    const { client } = server
    const patch = mergePatch({ status: preparing })
    await client.patch(trustRotations, { name: 'kubelet' }, patch, { subresource: 'status' })
    const { code, out, error } = await ran(['--status'])
    expect({ code, error }).toEqual({ code: 0, error: '' })
    expect(out.replaceAll(/\d\d:\d\d:\d\d /g, '')).toBe(
      'kubelet is Preparing, CA kube-apiserver-to-kubelet-signer@1794837720: 3 of 7 nodes do not trust the current CA yet\n',
    )
    const refused = await ran(['kubelet', '-o', 'json'])
    expect(refused.code).toBe(1)
    expect(JSON.parse(refused.out)).toMatchObject({ plan: { against: [expect.any(String)] } })
    expect(refused.error).toMatch(/^machinist: kubelet is being rotated already: Preparing since /)
    expect((await ran(['--without', 'a'], 'nobodys-token')).error).toBe(
      'machinist: you may not change TrustRotation kubelet: ask for a role that may patch trustrotations.machinist.dev\n',
    )
    const back = await ran(['--back', '--dry-run', '-o', 'json'])
    expect(JSON.parse(back.out)).toMatchObject({
      action: 'back',
      plan: { from: newCA.fingerprint, to: oldCA.fingerprint },
    })
    expect((await client.getMetadata(secrets, place)).metadata.annotations).toEqual({
      [notAfter]: '2026-11-30T14:00:00Z',
    })
  })
})
