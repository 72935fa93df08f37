import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer } from '@machinist/apiserver/running-server.fixture'
import { namespaces, secrets } from '@machinist/kube/kinds/core'
import { installDefinitions } from '../../../../src/api/definitions/definitions.fixture.ts'
import { machineConfigPools } from '../../../../src/api/kinds/resources.ts'
import { run } from '../../../../src/cli/program.ts'
import { pointerConfig, tokenIn } from '../../../../src/fleet/provisioning/pointer.ts'
import { sampleToken, tokenSecret } from '../../../../src/fleet/provisioning/token.fixture.ts'
import type { TokenRow } from '../../../../src/views/provisioning/token-rows.ts'

const server = await startServer()
const { client } = server
const directory = mkdtempSync(join(tmpdir(), 'machinist-provisioning-'))
const kubeconfig = join(directory, 'kubeconfig')
const namespace = 'machinist-provisioning'

beforeAll(async () => {
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      'current-context': 'c',
      clusters: [{ name: 'c', cluster: { server: server.url } }],
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
      users: [{ name: 'u', user: { token: 'administrators-token' } }],
    }),
  )
  await installDefinitions(client)
  for (const name of ['worker', 'infra']) {
    await client.create(machineConfigPools, { metadata: { name }, spec: {} })
  }
})
afterAll(async () => {
  rmSync(directory, { recursive: true })
  await server[Symbol.asyncDispose]()
})

/** Standard output, or the error. */
async function machinist(...args: string[]): Promise<string> {
  let out = ''
  let error = ''
  const code = await run([...args, '--kubeconfig', kubeconfig], {
    out: (text) => void (out += text),
    error: (text) => void (error += text),
    read: () => Promise.reject(new Error('no files')),
    stopped: () => Promise.resolve(),
  })
  return code === 0 ? out : `${code}: ${error}`
}

describe('machinist token', () => {
  it('explains what is missing', async () => {
    expect(await machinist('token', 'create', '--pool', 'gpu')).toBe(
      '1: machinist: pool gpu not found; known pools: infra, worker\n',
    )
    expect(await machinist('token', 'create', '--pool', 'worker')).toBe(
      '1: machinist: namespace machinist-provisioning does not exist: apply the manifests of this version\n',
    )
    await client.create(namespaces, { metadata: { name: namespace } })
    const wrong = await machinist('token', 'create', '--pool', 'worker', '--cidr', '10.0.0.1')
    expect(wrong).toBe(
      '1: machinist: --cidr "10.0.0.1" is not a range such as 10.0.0.0/8 or fd00::/8\n',
    )
    expect(await machinist('token', 'revoke', '--pool', 'worker')).toContain(
      '2: machinist: name the Secrets, or use --all',
    )
    expect(await machinist('token', 'revoke', '--pool', 'worker', '--all')).toBe(
      '1: machinist: pool worker: no tokens; its tokens: none\n',
    )
  })

  it('creates tokens with limits, and lists them without their content', async () => {
    const limits = ['--single-use', '--cidr', '10.0.0.0/8', '--cidr', 'fd00::/8', '--expires=24h']
    const out = await machinist('token', 'create', '--pool', 'worker', ...limits)
    const [, name = ''] = /^created Secret machinist-provisioning\/(\S+)\n/.exec(out) ?? []
    expect(name).toMatch(/^token-worker-[0-9a-f]{8}$/)
    expect(out).toContain(`machinist pointer --pool worker --token ${name}\n`)
    await machinist('token', 'create', '--pool', 'infra')

    const all = await machinist('token', 'list', '-o', 'json')
    const rows = JSON.parse(all) as TokenRow[]
    expect(rows.map(({ pool }) => pool)).toEqual(['infra', 'worker'])
    expect(rows[1]).toMatchObject({
      name,
      state: 'valid',
      isManaged: false,
      isSingleUse: true,
      cidrs: '10.0.0.0/8,fd00::/8',
    })
    const day = Date.parse(rows[1]!.expiresAt!) - Date.parse(rows[1]!.issuedAt!)
    expect(day).toBeGreaterThanOrEqual(86_400_000)
    expect(day).toBeLessThanOrEqual(86_401_000)
    const { data, metadata } = await client.get(secrets, { namespace, name })
    const token = Buffer.from(data!['token']!, 'base64').toString()
    expect(token).toHaveLength(43)
    expect(metadata.ownerReferences).toMatchObject([{ kind: 'MachineConfigPool', name: 'worker' }])
    const text = await machinist('token', 'list', '--pool', 'worker')
    expect(text.split('\n')).toHaveLength(3)
    expect(`${out}${all}${text}`).not.toContain(token)
  })

  it('revokes tokens of a pool by name, or all', async () => {
    const [{ name } = { name: '' }] = JSON.parse(
      await machinist('token', 'list', '--pool', 'worker', '-o', 'json'),
    ) as TokenRow[]
    expect(await machinist('token', 'revoke', '--pool', 'infra', name)).toContain(
      `1: machinist: pool infra: ${name} not found; its tokens: token-infra-`,
    )
    expect(await machinist('token', 'revoke', '--pool', 'worker', name)).toBe(
      `revoked machinist-provisioning/${name}\n`,
    )
    expect(await machinist('token', 'revoke', '--pool', 'infra', '--all')).toMatch(
      /^revoked machinist-provisioning\/token-infra-\w+\n$/,
    )
    expect(JSON.parse(await machinist('token', 'list', '-o', 'json'))).toEqual([])
  })
})

describe('machinist pointer', () => {
  const pointer = pointerConfig({
    host: 'api-int.c.example.com',
    pool: 'worker',
    caBundle: Buffer.from('CA\n'),
    token: sampleToken('a'),
  })

  it('explains what is missing', async () => {
    expect(await machinist('pointer', '--pool', 'gpu')).toBe(
      '1: machinist: pool gpu not found; known pools: infra, worker\n',
    )
    expect(await machinist('pointer', '--pool', 'worker')).toContain(
      '1: machinist: pool worker has no user data yet: the operator creates it when it knows ',
    )
  })

  it('prints the user data of the pool, byte for byte', async () => {
    const metadata = { namespace, name: 'worker-user-data-managed' }
    const data = { userData: Buffer.from(pointer).toString('base64') }
    await client.create(secrets, { metadata, data })
    expect(await machinist('pointer', '--pool', 'worker', '-o', 'json')).toBe(`${pointer}\n`)
  })

  it('prefers the user data of the Machine API', async () => {
    const metadata = { namespace: 'openshift-machine-api', name: 'worker-user-data-managed' }
    await client.create(namespaces, { metadata: { name: metadata.namespace } })
    const other = pointer.replace('api-int.c', 'api-int.d')
    const data = { userData: Buffer.from(other).toString('base64') }
    await client.create(secrets, { metadata, data })
    expect(await machinist('pointer', '--pool', 'worker')).toBe(`${other}\n`)
    await client.remove(secrets, metadata)
  })

  it('uses another token of the pool', async () => {
    const { metadata, ...secret } = tokenSecret({}, { token: sampleToken('b') })
    const { uid: _, resourceVersion: __, ...fresh } = metadata
    await client.create(secrets, { ...secret, metadata: fresh })
    const out = await machinist('pointer', '--pool', 'worker', '--token', 'lab')
    expect(tokenIn(out)).toBe(sampleToken('b'))
    expect(out.replace(sampleToken('b'), sampleToken('a'))).toBe(`${pointer}\n`)
    expect(await machinist('pointer', '--pool', 'worker', '--token', 'none')).toBe(
      '1: machinist: Secret machinist-provisioning/none not found; see machinist token list\n',
    )
  })
})
