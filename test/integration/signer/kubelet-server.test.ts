import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { systemClock } from '@machinist/core/clock'
import { VirtualClock } from '@machinist/core/virtual-clock'
import type { KeyPair } from '@machinist/pki/issue'
import { createAuthority, issueCertificate, validFor } from '@machinist/pki/issue'
import { PersistentClient } from './persistent-client.ts'
import { KubeletServer, callOnce } from './kubelet-server.ts'

const validity = validFor(systemClock, 3_600_000)

const leafOf = (ca: KeyPair, usage: 'client' | 'server'): Promise<KeyPair> =>
  issueCertificate(ca, {
    commonName: 'somebody',
    dnsNames: ['localhost'],
    usages: [usage],
    validity,
  })

it('a server lets in whom its file trusts, and reads it again after a while', async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'machinist-server-'))
  const path = join(directory.path, 'ca.crt')
  const [a, b, own] = await Promise.all(
    ['a', 'b', 'own'].map((name) => createAuthority({ name, validity })),
  )
  const [ofA, ofB, served] = await Promise.all([
    leafOf(a!, 'client'),
    leafOf(b!, 'client'),
    leafOf(own!, 'server'),
  ])
  await writeFile(path, a!.certificate)
  const clock = new VirtualClock()
  await using server = await KubeletServer.open({ name: 'one', path, clock, everyMs: 1000, served })
  const tries = async (): Promise<boolean[]> =>
    Promise.all(
      [ofA, ofB].map(
        async (shown) => (await callOnce(server, shown, own!.certificate)) === undefined,
      ),
    )
  expect(await tries()).toEqual([true, false])
  await writeFile(path, a!.certificate + b!.certificate)
  await clock.advance(999)
  expect(await tries()).toEqual([true, false])
  await clock.advance(1)
  expect(await tries()).toEqual([true, true])
  await writeFile(path, b!.certificate)
  await clock.advance(1000)
  expect(await tries()).toEqual([false, true])
  await writeFile(path, '')
  await clock.advance(1000)
  expect(await tries()).toEqual([false, true])
  expect(server.loads).toBe(2)
  expect(await callOnce(server, ofA, own!.certificate)).toBe('401')
})

it('a server verifies the certificate of a kept connection at every request', async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'machinist-server-'))
  const path = join(directory.path, 'ca.crt')
  const [a, b, own] = await Promise.all(
    ['a', 'b', 'own'].map((name) => createAuthority({ name, validity })),
  )
  const [ofA, ofB, served] = await Promise.all([
    leafOf(a!, 'client'),
    leafOf(b!, 'client'),
    leafOf(own!, 'server'),
  ])
  await writeFile(path, a!.certificate + b!.certificate)
  const clock = new VirtualClock()
  await using server = await KubeletServer.open({ name: 'one', path, clock, everyMs: 1000, served })
  using client = new PersistentClient({ server, ca: own!.certificate, deliveryMs: 60_000 })
  const call = (secret: KeyPair): Promise<string | undefined> => client.call(secret, clock.now())
  expect(await call(ofA)).toBe(undefined)
  expect(await call(ofB)).toBe(undefined)
  await writeFile(path, b!.certificate)
  await clock.advance(299_999)
  expect(await call(ofB)).toBe('401')
  expect(server.connections).toBe(1)
  await clock.advance(1)
  expect(await call(ofB)).toBe(undefined)
  expect(server.connections).toBe(2)
})
