import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { VirtualClock } from '../base/virtual-clock.ts'
import { readCertificate } from '../pki/certificate.ts'
import { loadIdentity } from './server-identity.ts'

const directory = mkdtempSync(join(tmpdir(), 'machinist-identity-'))
afterAll(() => rmSync(directory, { recursive: true }))

const day = 86_400_000

describe('the identity of an embedded API server', () => {
  const clock = new VirtualClock()
  const options = { directory: join(directory, 'pki'), host: '127.0.0.1', clock }

  it('is made once, and for its owner only', async () => {
    const made = await loadIdentity(options)
    expect(await loadIdentity(options)).toEqual(made)
    const files = readdirSync(options.directory).sort()
    expect(files).toEqual(['admin.token', 'authority.pem', 'service-accounts.key', 'serving.pem'])
    const modes = files.map((file) => statSync(join(options.directory, file)).mode & 0o777)
    expect(modes).toEqual([0o600, 0o600, 0o600, 0o600])
    expect(made.adminToken).toMatch(/^[\w-]{43}$/)
  })

  it('has a new serving certificate of the same authority before the old one runs out', async () => {
    const before = await loadIdentity(options)
    clock.jump(340 * day)
    const after = await loadIdentity(options)
    expect(after.authority).toEqual(before.authority)
    expect(after.serving).not.toEqual(before.serving)
    expect(readCertificate(after.serving.certificate).notAfter - clock.now()).toBe(365 * day)
  })

  it('has a certificate for the address it is reached by', async () => {
    const { serving } = await loadIdentity({ ...options, host: '127.0.0.2' })
    expect(readCertificate(serving.certificate).ipAddresses).toEqual([
      '127.0.0.1',
      '::1',
      '127.0.0.2',
    ])
  })

  it('is not replaced in silence when a file of it is damaged', async () => {
    const path = join(options.directory, 'authority.pem')
    writeFileSync(path, readFileSync(path, 'utf8').slice(0, 100))
    await expect(loadIdentity(options)).rejects.toThrow(
      `${path} does not hold a certificate and its key: restore it, or remove it`,
    )
  })
})
