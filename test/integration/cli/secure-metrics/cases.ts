import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '@machinist/core/clock'
import { silentLogger } from '@machinist/core/log'
import { VirtualClock } from '@machinist/core/virtual-clock'
import type { KubeClient } from '@machinist/kube/client/client'
import { serviceAccounts } from '@machinist/kube/kinds/core'
import { clusterRoleBindings, clusterRoles } from '@machinist/kube/kinds/rbac'
import { createAuthority, validFor } from '@machinist/pki/issue'
import { getOverTls as get } from '@machinist/testing/servers/get-over-tls'
import { until } from '@machinist/testing/until'
import { createPageGuard } from '../../../../src/process/page-guard.ts'
import type { ServedPages } from '../../../../src/process/pages.ts'
import { servePages } from '../../../../src/process/pages.ts'
import { makeNamespace } from '../../controllers/support/cluster-objects.ts'

export interface Reached {
  readonly client: KubeClient
  stop(): Promise<void>
}

const namespace = 'secure-metrics'
const pages = { '/metrics': () => 'numbers 1\n', '/livez': () => 'ok\n' }
const anywhere = { host: '127.0.0.1', port: 0 }

/** Access to metrics over TLS, with the embedded API server and with a real one. */
export function secureMetricsCases(reach: () => Promise<Reached>): void {
  describe('secure metrics', () => {
    let reached: Reached
    let client: KubeClient
    const directory = mkdtempSync(join(tmpdir(), 'machinist-metrics-'))

    beforeAll(async () => {
      reached = await reach()
      ;({ client } = reached)
      await makeNamespace(client, namespace)
    })

    afterAll(async () => {
      rmSync(directory, { recursive: true })
      await reached?.stop()
    })

    const serve = async (source: string | true, clock = systemClock): Promise<ServedPages> =>
      servePages(
        pages,
        anywhere,
        'metrics',
        await createPageGuard({ client, clock, log: silentLogger }, source),
      )

    const tokenOf = async (name: string): Promise<string> => {
      await client.create(serviceAccounts, { metadata: { namespace, name } })
      const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} }
      const key = { namespace, name }
      const { status } = await client.act<{ status: { token: string } }>(
        serviceAccounts,
        key,
        body,
        { subresource: 'token' },
      )
      return status.token
    }

    const allowReading = async (name: string): Promise<void> => {
      await client.create(clusterRoles, {
        metadata: { name: 'metrics-reader' },
        rules: [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }],
      })
      await client.create(clusterRoleBindings, {
        metadata: { name: 'metrics-reader' },
        roleRef: {
          apiGroup: 'rbac.authorization.k8s.io',
          kind: 'ClusterRole',
          name: 'metrics-reader',
        },
        subjects: [{ kind: 'ServiceAccount', namespace, name }],
      })
    }

    it('require permission to get /metrics; health requires none', async () => {
      const [reader, visitor] = [await tokenOf('reader'), await tokenOf('visitor')]
      await allowReading('reader')
      const { url, stop } = await serve(true)
      const codes = async (path: string, ...tokens: (string | undefined)[]): Promise<number[]> => {
        const answers = []
        for (const token of tokens) answers.push((await get(url + path, token)).code)
        return answers
      }
      await until(
        'the role counts',
        async () => (await codes('/metrics', reader))[0] === 200,
        30_000,
      )
      expect(await get(`${url}/metrics`, reader)).toMatchObject({ code: 200, text: 'numbers 1\n' })
      expect(await codes('/metrics', visitor, 'nonsense', '', undefined)).toEqual([
        403, 401, 401, 401,
      ])
      expect(await get(`${url}/livez`)).toMatchObject({ code: 200, text: 'ok\n' })
      expect(await codes('/else', reader, undefined)).toEqual([404, 404])
      await stop()
    })

    it('use the given certificate, and its renewal', async () => {
      const clock = new VirtualClock(Date.now())
      const put = async (name: string): Promise<void> => {
        const authority = await createAuthority({
          name,
          validity: validFor(systemClock, 86_400_000),
        })
        writeFileSync(join(directory, 'tls.key'), authority.key)
        writeFileSync(join(directory, 'tls.crt'), authority.certificate)
      }
      const { url, stop } = await serve(directory, clock)
      expect((await get(`${url}/livez`)).commonName).not.toBe('first')
      await put('first')
      await clock.advance(60_000)
      await until(
        'the first certificate is used',
        async () => (await get(`${url}/livez`)).commonName === 'first',
      )
      // A partially written file.
      writeFileSync(join(directory, 'tls.crt'), '-----BEGIN CERTIFICATE-----\nMIIB')
      await clock.advance(60_000)
      expect((await get(`${url}/livez`)).commonName).toBe('first')
      await put('second')
      await until('the second certificate is used', async () => {
        await clock.advance(60_000)
        return (await get(`${url}/livez`)).commonName === 'second'
      })
      await stop()
    })
  })
}
