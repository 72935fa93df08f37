import { X509Certificate } from 'node:crypto'
import { expect, it } from 'vitest'
import { systemClock } from '../base/clock.ts'
import { silentLogger } from '../base/log.ts'
import type { KubeClient } from '../kube/client.ts'
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
