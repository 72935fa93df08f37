import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { VirtualClock } from '../../src/base/virtual-clock.ts'
import type { KeyPair } from '../../src/pki/issue.ts'
import { createAuthority, issueCertificate, validFor } from '../../src/pki/issue.ts'
import { KubeletDoor, knock } from './kubelet-door.ts'

const validity = validFor(systemClock, 3_600_000)

it('a door lets in whom its file trusts, and reads it again after a while', async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'machinist-door-'))
  const path = join(directory.path, 'ca.crt')
  const [a, b, own] = await Promise.all(
    ['a', 'b', 'own'].map((name) => createAuthority({ name, validity })),
  )
  const leaf = (ca: KeyPair, usage: 'client' | 'server'): Promise<KeyPair> =>
    issueCertificate(ca, {
      commonName: 'somebody',
      dnsNames: ['localhost'],
      usages: [usage],
      validity,
    })
  const [ofA, ofB, served] = await Promise.all([
    leaf(a!, 'client'),
    leaf(b!, 'client'),
    leaf(own!, 'server'),
  ])
  await writeFile(path, a!.certificate)
  const clock = new VirtualClock()
  await using door = await KubeletDoor.open({ name: 'one', path, clock, everyMs: 1000, served })
  const tries = async (): Promise<boolean[]> =>
    Promise.all(
      [ofA, ofB].map(async (shown) => (await knock(door, shown, own!.certificate)) === undefined),
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
  expect(door.loads).toBe(2)
  expect(await knock(door, ofA, own!.certificate)).toBe('the door was shut')
})
