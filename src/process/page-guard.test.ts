import { X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { Clock } from '@machinist/core/clock'
import { systemClock } from '@machinist/core/clock'
import { silentLogger } from '@machinist/core/log'
import { VirtualClock } from '@machinist/core/virtual-clock'
import type { KubeClient } from '@machinist/kube/client'
import { createAuthority, validFor } from '@machinist/pki/issue'
import { guardFor } from './page-guard.ts'

/** Knows nobody. */
const client: Pick<KubeClient, 'create'> = { create: async (_, object) => object }
const tools = { client, clock: systemClock, log: silentLogger }

it.each([
  ['Worker-1.example.com', 'DNS:worker-1.example.com'],
  ['(none)', 'DNS:localhost'],
  ['w'.repeat(64), 'DNS:localhost'],
  ['', 'DNS:localhost'],
])('vouches for itself on a machine that is called %j', async (machine, names) => {
  const { identity } = await guardFor(tools, true, machine)
  expect(new X509Certificate(identity.cert).subjectAltName).toBe(names)
})

it('shows nothing more when it is stopped, also in the middle of a look', async () => {
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
        // By then it reads the files.
        setImmediate(() => begun.shift()?.())
      }),
  }
  const guard = await guardFor({ ...tools, clock }, directory)
  const authority = await createAuthority({
    name: 'a',
    validity: validFor(systemClock, 86_400_000),
  })
  writeFileSync(join(directory, 'tls.key'), authority.key)
  writeFileSync(join(directory, 'tls.crt'), authority.certificate)
  const shown: string[] = []
  const second = Promise.withResolvers<void>()
  begun.push(guard.renewing(() => shown.push('stopped')))
  const stop = guard.renewing(() => {
    shown.push('goes on')
    second.resolve()
  })
  await virtual.advance(60_000)
  await second.promise
  await virtual.advance(0)
  expect(shown).toEqual(['goes on'])
  expect(virtual.pending).toBe(1)
  stop()
  expect(virtual.pending).toBe(0)
})
