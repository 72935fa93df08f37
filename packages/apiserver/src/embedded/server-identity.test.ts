import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { readCertificate } from '@machinist/pki/certificate'
import { createAuthority, issueCertificate, validFor } from '@machinist/pki/issue'
import { hostnamesOf, storeServing, loadIdentity } from './server-identity.ts'

const directory = mkdtempSync(join(tmpdir(), 'machinist-identity-'))
afterAll(() => rmSync(directory, { recursive: true }))

const day = 86_400_000

describe('the identity of an embedded API server', () => {
  const clock = new VirtualClock()
  const options = { directory: join(directory, 'pki'), host: '127.0.0.1', clock }

  it('is created once, with mode 0600', async () => {
    const made = await loadIdentity(options)
    expect(await loadIdentity(options)).toEqual(made)
    const files = readdirSync(options.directory).sort()
    expect(files).toEqual(['admin.token', 'authority.pem', 'service-accounts.key', 'serving.pem'])
    const modes = files.map((file) => statSync(join(options.directory, file)).mode & 0o777)
    expect(modes).toEqual([0o600, 0o600, 0o600, 0o600])
    expect(made.adminToken).toMatch(/^[\w-]{43}$/)
  })

  it('renews the serving certificate with the same CA before it expires', async () => {
    const before = await loadIdentity(options)
    clock.jump(340 * day)
    const after = await loadIdentity(options)
    expect(after.authority).toEqual(before.authority)
    expect(after.serving).not.toEqual(before.serving)
    expect(readCertificate(after.serving.certificate).notAfter - clock.now()).toBe(365 * day)
  })

  it('has a serving certificate for its address', async () => {
    const { serving } = await loadIdentity({ ...options, host: '127.0.0.2' })
    expect(readCertificate(serving.certificate).ipAddresses).toEqual([
      '127.0.0.1',
      '::1',
      '127.0.0.2',
    ])
  })

  it('uses its DNS name', async () => {
    const { serving } = await loadIdentity({ ...options, host: 'api.example' })
    expect(readCertificate(serving.certificate).dnsNames).toContain('api.example')
    expect((await loadIdentity({ ...options, host: 'api.example' })).serving).toEqual(serving)
    expect(hostnamesOf('api.example').at(-3)).toBe('api.example')
    expect(hostnamesOf('127.0.0.1')).toEqual([
      'localhost',
      'kubernetes',
      'kubernetes.default',
      'kubernetes.default.svc',
      '127.0.0.1',
      '::1',
    ])
  })

  it('keeps a certificate of another CA while it is valid', async () => {
    const other = await createAuthority({ name: 'other', validity: validFor(clock, 900 * day) })
    const leaf = await issueCertificate(other, {
      commonName: 'api',
      ipAddresses: ['127.0.0.1'],
      usages: ['server'],
      validity: validFor(clock, 30 * day),
    })
    const given = { ...leaf, certificate: leaf.certificate + other.certificate }
    await storeServing(options.directory, given)
    clock.jump(29 * day)
    expect((await loadIdentity(options)).serving).toEqual(given)
    clock.jump(2 * day)
    const { serving } = await loadIdentity(options)
    expect(readCertificate(serving.certificate).issuer).toBe('CN=machinist')
  })

  it.each([
    ['damaged', (text: string) => text.slice(0, 100)],
    ['without its key', (text: string) => text.replace(/-+BEGIN PRIVATE[^]*/, '')],
    ['no certificate at all', () => ''],
  ])('replaces a serving certificate that is %s', async (_what, damage) => {
    const before = await loadIdentity(options)
    const path = join(options.directory, 'serving.pem')
    writeFileSync(path, damage(readFileSync(path, 'utf8')))
    const { serving } = await loadIdentity(options)
    expect(serving).not.toEqual(before.serving)
    expect((await loadIdentity(options)).serving).toEqual(serving)
  })

  it('replaces a serving certificate with another key', async () => {
    const before = await loadIdentity(options)
    const key = before.authority.key
    await storeServing(options.directory, { ...before.serving, key })
    expect((await loadIdentity(options)).serving.key).not.toBe(key)
  })

  it('is not replaced silently if a file is damaged', async () => {
    const path = join(options.directory, 'authority.pem')
    writeFileSync(path, readFileSync(path, 'utf8').slice(0, 100))
    await expect(loadIdentity(options)).rejects.toThrow(
      `${path} does not contain a certificate and its key: restore it, or remove it`,
    )
  })
})
