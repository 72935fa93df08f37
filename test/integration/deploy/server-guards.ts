import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { toYaml } from '@machinist/core/encoding/yaml'
import type { Secret } from '@machinist/kube/kinds/core'
import { secrets } from '@machinist/kube/kinds/core'
import {
  clientSigner,
  opensslRequest,
  requestObject,
  servingSigner,
} from '@machinist/testing/certificates/kubelet-request'
import type { Attempt } from './attempts.ts'
import { change, make, remove } from './attempts.ts'
import { refusal } from './refused.ts'
import { bootstrapperAttempts, serverAttempts } from './server-attempts.ts'
import type { Stage } from './stage.ts'

const namespace = 'machinist-provisioning'
const all = `/api/v1/namespaces/${namespace}/secrets`
const type = 'machinist.dev/provisioning-token'
const requests = '/apis/certificates.k8s.io/v1/certificatesigningrequests'
const base64 = (text: string): string => Buffer.from(text).toString('base64')
const token = (name: string): Secret => ({
  metadata: {
    name,
    namespace,
    labels: { 'machinist.dev/pool': 'worker' },
    annotations: { 'machinist.dev/token-uses': '1' },
  },
  type,
  data: { token: base64('a'.repeat(43)) },
})

/** The machine config server and new machines. */
export function serverGuards(stage: () => Stage): void {
  const outcome = (who: string, attempt: Attempt): Promise<string> => refusal(stage(), who, attempt)

  beforeAll(async () => {
    const { client } = stage()
    await client.create(secrets, token('guarded'))
    const userData = { name: 'guarded-user-data-managed', namespace }
    await client.create(secrets, { metadata: userData, data: { userData: '' } })
  })

  it.each(Object.entries(serverAttempts))('a server may not %s', async (_, [attempt, reason]) => {
    expect(await outcome('server', attempt)).toMatch(reason)
  })

  it.each(Object.entries(bootstrapperAttempts))(
    'a new machine may not %s',
    async (_, [attempt, reason]) => {
      expect(await outcome('bootstrapper', attempt)).toMatch(reason)
    },
  )

  it('a server records the use of a token, and changes it again', async () => {
    for (const by of ['192.0.2.5', '192.0.2.6', null]) {
      const annotations = {
        'machinist.dev/token-used-at': 'now',
        'machinist.dev/token-used-by': by,
      }
      expect(await outcome('server', change(`${all}/guarded`, { metadata: { annotations } }))).toBe(
        'it was allowed',
      )
    }
  })

  it.each<[string, object]>([
    ['the token', { data: { token: base64('b'.repeat(43)) } }],
    ['a previous token', { data: { previous: base64('b'.repeat(43)) } }],
    ['its pool', { metadata: { labels: { 'machinist.dev/pool': 'master' } } }],
    ['its limits', { metadata: { annotations: { 'machinist.dev/token-uses': null } } }],
    ['its expiry', { metadata: { annotations: { 'machinist.dev/token-expires-at': 'never' } } }],
    ['its finalizers', { metadata: { finalizers: ['machinist.dev/mine'] } }],
  ])('a server may not change %s', async (_, patch) => {
    expect(await outcome('server', change(`${all}/guarded`, patch))).toMatch(
      /'machinist-provisioning-guards' denied request: the machine config server may only record the use of a provisioning token$/,
    )
  })

  it('a server may not change the owner of a token', async () => {
    const ownerReferences = [{ apiVersion: 'v1', kind: 'Node', name: 'a', uid: 'a' }]
    const attempt = change(`${all}/guarded`, { metadata: { ownerReferences } })
    // OwnerReferencesPermissionEnforcement, where it is enabled, comes first.
    expect(await outcome('server', attempt)).toMatch(
      /may only record the use of a provisioning token$|cannot set an ownerRef on a resource you can't delete/,
    )
  })

  it('a server may not change user data', async () => {
    expect(await outcome('server', change(`${all}/guarded-user-data-managed`))).toMatch(
      /may only record the use of a provisioning token$/,
    )
  })

  it('the operator writes tokens and user data of pools, and no tokens of users', async () => {
    const own = { ...token('provisioning-token-guarded') }
    for (const attempt of [
      make(all, own),
      change(`${all}/provisioning-token-guarded`, { data: { previous: base64('x') } }),
      remove(`${all}/provisioning-token-guarded`),
      change(`${all}/guarded-user-data-managed`),
    ]) {
      expect(await outcome('operator', attempt)).toBe('it was allowed')
    }
    const other = { metadata: { name: 'provisioning-token-x' }, type: 'Opaque' }
    for (const [attempt, name] of [
      [change(`${all}/guarded`), 'guarded'],
      [remove(`${all}/guarded`), 'guarded'],
      [make(all, other), 'provisioning-token-x'],
    ] as const) {
      expect(await outcome('operator', attempt)).toMatch(
        new RegExp(
          `'machinist-provisioning-guards' denied request: Secret ${name} is not of a pool$`,
        ),
      )
    }
  })

  const request = (signer: string, usages?: string[]): Attempt => {
    const { spec } = requestObject(opensslRequest('/O=system:nodes/CN=system:node:new'), signer)
    const body = {
      metadata: { generateName: 'new-' },
      spec: { ...spec, ...(usages && { usages }) },
    }
    return { ...make(requests, body), query: { dryRun: 'All' } }
  }

  it('a new machine requests the client certificate of its kubelet, and no other', async () => {
    expect(await outcome('bootstrapper', request(clientSigner))).toBe('it was allowed')
    expect(await outcome('bootstrapper', request(servingSigner))).toMatch(
      /'machinist-bootstrap-guards' denied request: a new machine may request the client certificate of its kubelet only$/,
    )
    expect(await outcome('bootstrapper', request('example.com/any'))).toMatch(
      /'machinist-bootstrap-guards' denied request: /,
    )
    const usages = ['digital signature', 'key encipherment', 'server auth']
    expect(await outcome('bootstrapper', request(clientSigner, usages))).toMatch(
      /'machinist-bootstrap-guards' denied request: the client certificate of a kubelet is for /,
    )
  })

  tokenMistakes(stage)
}

/** Warnings of kubectl about tokens that the server ignores. */
function tokenMistakes(stage: () => Stage): void {
  let directory: string
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'machinist-tokens-'))
  })
  afterAll(() => rm(directory, { recursive: true }))

  const policy = 'machinist-provisioning-token-mistakes'
  const begin = `Warning: Validation failed for ValidatingAdmissionPolicy '${policy}' with binding '${policy}': `
  const { metadata, ...good } = token('checked')

  it.each<[string, object, string[]]>([
    ['a valid token', { ...good, metadata }, []],
    ['another Secret elsewhere', { metadata: { name: 'checked', namespace: 'default' } }, []],
    [
      'a token elsewhere',
      { ...good, metadata: { ...metadata, namespace: 'default' } },
      [
        'the machine config server ignores this token; provisioning tokens belong in the namespace machinist-provisioning',
      ],
    ],
    [
      'a token without a pool',
      { ...good, metadata: { ...metadata, labels: {} } },
      [
        'the machine config server ignores this token: the label machinist.dev/pool must name its pool',
      ],
    ],
    [
      'a token without data',
      { type, metadata },
      [
        'the machine config server ignores this token: data.token is missing; create tokens with machinist token create',
      ],
    ],
  ])('kubectl warns of %s as expected', async (_, secret, warnings) => {
    const path = join(directory, 'secret.yaml')
    await writeFile(path, toYaml({ apiVersion: 'v1', kind: 'Secret', ...secret }))
    const output = await stage().kubectl('create', '--dry-run=server', '-o', 'name', '-f', path)
    const lines = output.split('\n').filter((line) => line !== 'secret/checked')
    expect(lines.map((line) => line.replace(begin, ''))).toEqual(warnings)
  })
}
