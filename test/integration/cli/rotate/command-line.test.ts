import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { secrets } from '@machinist/kube/kinds/core'
import type { PolicyRule } from '@machinist/kube/kinds/rbac'
import { clusterRoleBindings, clusterRoles } from '@machinist/kube/kinds/rbac'
import { mergePatch } from '@machinist/kube/patch'
import type { RunningServer } from '@machinist/apiserver/running-server.fixture'
import { startServer } from '@machinist/apiserver/running-server.fixture'
import { trustRotationKind } from '../../../../src/api/kinds/trust-rotation.ts'
import { trustRotations } from '../../../../src/api/kinds/resources.ts'
import { run } from '../../../../src/cli/program.ts'
import { installDefinitions } from '../../../../src/api/definitions/definitions.fixture.ts'
import { makeNamespace } from '../../signer/rotation-cluster.ts'
import { newCA, oldCA, preparing, rotation } from '../../../../src/views/rotate/sample.fixture.ts'

const directory = mkdtempSync(join(tmpdir(), 'machinist-rotate-'))
const place = { namespace: 'keys', name: 'kubelet-signer' }
const notAfter = 'auth.openshift.io/certificate-not-after'

interface Ran {
  readonly code: number
  readonly out: string
  readonly error: string
}

/** The command without a signer. */
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
  ])('rejects %j as wrong use', async (args) => {
    const { code, out, error } = await ran(args)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(error).toMatch(/^machinist: .* \(see machinist rotate --help\)\n$/)
  })

  it('reports what is missing: the kind, the object, the permission', async () => {
    const { client } = server
    expect(await ran([])).toEqual(
      failed(
        'this cluster has no CustomResourceDefinition for TrustRotations: install it with machinist crds | kubectl apply --server-side -f -',
      ),
    )
    await installDefinitions(client, [trustRotationKind])
    await makeNamespace(client)
    expect((await ran([])).error).toMatch(/^machinist: this cluster has no TrustRotation:/)
    const { spec } = rotation(undefined, { signer: place })
    await client.create(trustRotations, { metadata: { name: 'kubelet' }, spec })
    expect(await ran(['other'])).toEqual(
      failed('TrustRotation other not found; available: kubelet (kubelet-client-ca)'),
    )
    expect(await ran([], 'nobodys-token')).toEqual(
      failed(
        'no permission to list TrustRotations: a role with the verbs get, list and watch for trustrotations.machinist.dev is required',
      ),
    )
    const missing = await ran([])
    expect(missing.code).toBe(1)
    expect(missing.error).toMatch(
      /^machinist: signer Secret keys\/kubelet-signer of kubelet does not exist/,
    )
  })

  it('needs no permission to read the Secret', async () => {
    const { client } = server
    await client.create(secrets, {
      metadata: { ...place, annotations: { [notAfter]: '2026-11-30T14:00:00Z' } },
      type: 'kubernetes.io/tls',
      stringData: { 'tls.crt': 'CANARY', 'tls.key': 'CANARY' },
    })
    await allow(look)
    const refused = await ran(['--dry-run'], 'nobodys-token')
    expect(refused.error).toBe(
      'machinist: no permission to change the signer Secret keys/kubelet-signer: a role with the verb patch is required\n',
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

  it('prints the status, and reports missing permissions', async () => {
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
    expect(refused.error).toMatch(
      /^machinist: a rotation of kubelet is in progress: Preparing since /,
    )
    expect((await ran(['--without', 'a'], 'nobodys-token')).error).toBe(
      'machinist: no permission to change TrustRotation kubelet: a role with the verb patch for trustrotations.machinist.dev is required\n',
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
