import { X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { Clock } from '@machinist/core/clock'
import { systemClock } from '@machinist/core/clock'
import { silentLogger } from '@machinist/core/log'
import { VirtualClock } from '@machinist/core/virtual-clock'
import type { KubeClient } from '@machinist/kube/client/client'
import { createAuthority, validFor } from '@machinist/pki/issue'
import { createPageGuard } from './page-guard.ts'

/** Knows no tokens. */
const client: Pick<KubeClient, 'create'> = { create: async (_, object) => object }
const tools = { client, clock: systemClock, log: silentLogger }

it.each([
  ['Worker-1.example.com', 'DNS:worker-1.example.com'],
  ['(none)', 'DNS:localhost'],
  ['w'.repeat(64), 'DNS:localhost'],
  ['', 'DNS:localhost'],
])('uses a self-signed certificate on a machine named %j', async (machine, names) => {
  const { identity } = await createPageGuard(tools, true, machine)
  expect(new X509Certificate(identity.cert).subjectAltName).toBe(names)
})

it('applies no certificate after it is stopped, even during a reload', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'machinist-guard-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const virtual = new VirtualClock()
  const begun: (() => void)[] = []
  const clock: Clock = {
    now: () => virtual.now(),
    elapsed: () => virtual.elapsed(),
    after: (ms, task) =>
      virtual.after(ms, () => {
        task()
        // It reads the files at that time.
        setImmediate(() => begun.shift()?.())
      }),
  }
  const guard = await createPageGuard({ ...tools, clock }, directory)
  const authority = await createAuthority({
    name: 'a',
    validity: validFor(systemClock, 86_400_000),
  })
  writeFileSync(join(directory, 'tls.key'), authority.key)
  writeFileSync(join(directory, 'tls.crt'), authority.certificate)
  const shown: string[] = []
  const second = Promise.withResolvers<void>()
  begun.push(guard.onRenewal(() => shown.push('stopped')))
  const stop = guard.onRenewal(() => {
    shown.push('running')
    second.resolve()
  })
  await virtual.advance(60_000)
  await second.promise
  await virtual.advance(0)
  expect(shown).toEqual(['running'])
  expect(virtual.pending).toBe(1)
  stop()
  expect(virtual.pending).toBe(0)
})
