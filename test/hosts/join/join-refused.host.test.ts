import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { systemClock } from '@machinist/core/clock'
import { secrets } from '@machinist/kube/kinds/core'
import { createAuthority, validFor } from '@machinist/pki/issue'
import { provisioningTokenAnnotations } from '../../../src/api/annotations.ts'
import { namespaces } from '../../../src/api/names.ts'
import { ownLabels } from '../../../src/api/labels.ts'
import { provisioningToken } from '../../../src/api/names.ts'
import { inVersion, withToken } from '../../../src/fleet/provisioning/pointer.ts'
import { diskTree } from '../disk-tree.ts'
import { describeOnMachines } from '../host-tools.ts'
import type { IgnitionOptions } from '../real-ignition.ts'
import { RealIgnition } from '../real-ignition.ts'
import { JoinCluster } from './join-cluster.ts'

/** The real Ignition against the real server: what it gets without the right token, and from another server. */
describeOnMachines('a machine that must not join', () => {
  let cluster: JoinCluster
  let ignition: RealIgnition
  let directory: string

  beforeAll(async () => {
    ignition = await RealIgnition.find()
    cluster = await JoinCluster.start('127.77.0.2')
    await cluster.configure('worker', [])
    directory = mkdtempSync(join(tmpdir(), 'machinist-refused-'))
  })

  afterAll(async () => {
    await cluster?.stop()
    if (directory) rmSync(directory, { recursive: true, force: true })
  })

  const pointer = (...more: string[]): Promise<string> =>
    cluster.pointer('worker', '--ignition-version=3.2.0', ...more)

  /** The exit code of Ignition and what it logs. Its root must stay as it is. */
  async function refused(config: string, options?: IgnitionOptions): Promise<[number, string]> {
    const root = mkdtempSync(join(directory, 'root-'))
    await RealIgnition.prepareRoot(root)
    const before = await diskTree(root)
    const { exitCode, log } = await ignition.apply(config, root, options)
    expect(await diskTree(root)).toEqual(before)
    expect(exitCode).not.toBe(0)
    return [exitCode, log]
  }

  const tokenSecret = (name: string, annotations: Record<string, string> = {}) => ({
    metadata: {
      namespace: namespaces.provisioning,
      name,
      labels: { [ownLabels.pool]: 'worker' },
      annotations,
    },
    type: provisioningToken.type,
    data: { [provisioningToken.keys.current]: base64(tokenText(name)) },
  })
  const tokenText = (name: string): string => name.padEnd(40, '-')
  const base64 = (text: string): string => Buffer.from(text).toString('base64')

  it('gets a config with a token of its pool', async () => {
    await cluster.client.create(secrets, tokenSecret('good'))
    const root = mkdtempSync(join(directory, 'root-'))
    const { log } = await ignition.apply(await pointer('--token=good'), root)
    expect(log).toContain('GET result: OK')
  })

  it('gets nothing without a token, or with one that is unknown', async () => {
    const unknown = withToken(await pointer(), tokenText('unknown'))!
    const without = unknown.replace(/"httpHeaders":\[[^\]]*\],/, '')
    expect(without).not.toContain('httpHeaders')
    for (const config of [unknown, without]) {
      const [exitCode, log] = await refused(config)
      expect(exitCode).toBe(1)
      expect(log).toContain('GET result: Unauthorized')
    }
  })

  it('gets nothing with an expired token', async () => {
    const past = { [provisioningTokenAnnotations.expiresAt]: '2026-01-01T00:00:00Z' }
    await cluster.client.create(secrets, tokenSecret('expired', past))
    const [, log] = await refused(await pointer('--token=expired'))
    expect(log).toContain('GET result: Unauthorized')
  })

  it('gets nothing with a token that was deleted a moment ago', async () => {
    await cluster.client.create(secrets, tokenSecret('revoked'))
    const config = await pointer('--token=revoked')
    const root = mkdtempSync(join(directory, 'root-'))
    expect((await ignition.apply(config, root)).log).toContain('GET result: OK')
    const key = { namespace: namespaces.provisioning, name: 'revoked' }
    await cluster.client.remove(secrets, key)
    const [, log] = await refused(config)
    expect(log).toContain('GET result: Unauthorized')
  })

  it('gets nothing with a token of another pool, and does not learn which pools exist', async () => {
    const config = (await pointer()).replace('/config/worker', '/config/master')
    const [, log] = await refused(config)
    expect(log).toContain('GET result: Unauthorized')
    const [, other] = await refused(config.replace('/config/master', '/config/nosuchpool'))
    expect(other).toContain('GET result: Unauthorized')
  })

  it('accepts no config from a server with a certificate of another CA', async () => {
    const validity = validFor(systemClock, 86_400_000)
    const { certificate } = await createAuthority({ name: 'another CA', validity })
    const [, ca] = /base64,([A-Za-z0-9+/=]+)/.exec(await pointer())!
    const config = (await pointer()).replace(ca!, base64(certificate))
    // Ignition retries until it is ended: the CA of a server may be corrected.
    const [exitCode, log] = await refused(config, { timeoutSeconds: 3 })
    expect(exitCode).toBe(124)
    expect(log).toContain('certificate signed by unknown authority')
  })

  it('needs a pointer that its Ignition supports', async () => {
    const [exitCode, log] = await refused(inVersion(await pointer(), '3.5.0')!)
    expect(exitCode).toBe(1)
    expect(log).toContain('unsupported config version')
  })
})
