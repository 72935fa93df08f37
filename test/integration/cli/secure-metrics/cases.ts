import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '@machinist/core/clock'
import { silentLogger } from '@machinist/core/log'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { guardFor } from '../../../../src/process/page-guard.ts'
import type { Served } from '../../../../src/process/pages.ts'
import { servePages } from '../../../../src/process/pages.ts'
import type { KubeClient } from '@machinist/kube/client'
import { serviceAccounts } from '@machinist/kube/kinds/core'
import { clusterRoleBindings, clusterRoles } from '@machinist/kube/kinds/rbac'
import { createAuthority, validFor } from '@machinist/pki/issue'
import { makeNamespace } from '../../controllers/support/cluster-objects.ts'
import { getSecurely as get } from '@machinist/testing/get-securely'
import { until } from '@machinist/testing/until'

export interface Reached {
  readonly client: KubeClient
  stop(): Promise<void>
}

const namespace = 'secure-metrics'
const pages = { '/metrics': () => 'numbers 1\n', '/livez': () => 'ok\n' }
const anywhere = { host: '127.0.0.1', port: 0 }

/** Who may read numbers that are served over TLS; the same with the embedded API server and with a real one. */
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

    const serve = async (shown: string | true, clock = systemClock): Promise<Served> =>
      servePages(
        pages,
        anywhere,
        'metrics',
        await guardFor({ client, clock, log: silentLogger }, shown),
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

    const letRead = async (name: string): Promise<void> => {
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

    it('are for those whom a role lets get them; health is for everybody', async () => {
      const [reader, visitor] = [await tokenOf('reader'), await tokenOf('visitor')]
      await letRead('reader')
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

    it('show the certificate that they are given, and the next one', async () => {
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
      expect((await get(`${url}/livez`)).shown).not.toBe('first')
      await put('first')
      await clock.advance(60_000)
      await until('the first is shown', async () => (await get(`${url}/livez`)).shown === 'first')
      // Cut short: half of a change.
      writeFileSync(join(directory, 'tls.crt'), '-----BEGIN CERTIFICATE-----\nMIIB')
      await clock.advance(60_000)
      expect((await get(`${url}/livez`)).shown).toBe('first')
      await put('second')
      await until('the second is shown', async () => {
        await clock.advance(60_000)
        return (await get(`${url}/livez`)).shown === 'second'
      })
      await stop()
    })
  })
}
