import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Host } from '../../../../src/daemon/host/host.ts'
import { failure } from './files-contract.ts'
import type { OpenSubject, Subject } from './subject.ts'

/** Accounts, operating system and power of a machine that has a user `core`. */
export function machineContract(open: OpenSubject): void {
  let subject: Subject
  let host: Host
  beforeEach(async () => {
    subject = await open()
    host = subject.host
  })
  afterEach(() => subject.close())

  describe('accounts', () => {
    it('are found by exact name', async () => {
      expect(await host.accounts.user('core')).toEqual({ uid: 1000, gid: 1000, home: '/home/core' })
      expect(await host.accounts.user('root')).toEqual({ uid: 0, gid: 0, home: '/root' })
      expect(await host.accounts.group('core')).toBe(1000)
      for (const name of ['', 'cor', 'Core', 'core:x', 'x', '*', '.*', '1000', 'core\n']) {
        expect(await host.accounts.user(name)).toBeUndefined()
        expect(await host.accounts.group(name)).toBeUndefined()
        expect(await host.accounts.passwordHash(name)).toBeUndefined()
      }
    })

    it('accept a password hash, and other accounts stay unchanged', async () => {
      const before = await host.accounts.passwordHash('root')
      await host.accounts.setPasswordHash('core', '$6$salt$hash')
      await host.accounts.setPasswordHash('core', '$6$salt$hash')
      expect(await host.accounts.passwordHash('core')).toBe('$6$salt$hash')
      expect(await host.accounts.passwordHash('root')).toBe(before)
      expect(await host.files.stat('/etc/shadow')).toMatchObject({ mode: 0o600, uid: 0, gid: 0 })
      await host.accounts.setPasswordHash('core', '')
      expect(await host.accounts.passwordHash('core')).toBe('')
    })

    it('reject an invalid hash or user, without the hash in the error', async () => {
      for (const hash of ['a:b', 'a\nroot2::0:0:::', 'a\r', 'a\0']) {
        expect(await failure(host.accounts.setPasswordHash('core', hash), 'core')).toBe('EINVAL')
      }
      const unknown = host.accounts.setPasswordHash('nobody-here', '$6$secret')
      expect(await failure(unknown, 'nobody-here')).toBe('ENOENT')
      await expect(unknown).rejects.not.toThrow(/secret/)
    })
  })

  describe('the operating system', () => {
    it('reports its identity', async () => {
      const { id, versionId, variantId, architecture, changes } = await host.os.facts()
      expect(id).not.toBe('')
      expect(versionId).not.toBe('')
      expect(typeof variantId).toBe('string')
      expect(architecture).toMatch(/^(x86_64|aarch64|s390x|ppc64le)$/)
      expect(changes.osImage).toBe(true)
    })

    it('boots the staged deployment at the next boot, and not before', async () => {
      const { booted, staged } = await host.os.state()
      expect(staged).toBeUndefined()
      const next = {
        image: 'machine-os.example/os@sha256:2',
        kernelArguments: [...booted.kernelArguments, 'quiet', 'quiet', 'a="b c"'],
        kernelType: 'realtime',
        extensions: ['usbguard'],
      }
      await host.os.stage({ ...next, kernelType: 'default' })
      await host.os.stage(next)
      await host.os.stage(next)
      expect(await host.os.state()).toEqual({ booted, staged: next })
      await host.power.reboot('a new image')
      host = await subject.reboot()
      expect(await host.os.state()).toEqual({ booted: next })
      expect((await host.os.bootReport()).foreignPackages).toEqual([])
      await host.os.dropRollback()
      await host.os.dropRollback()
      expect(await host.os.state()).toEqual({ booted: next })
    })

    it('drops the staged deployment when the booted one is requested', async () => {
      const { booted } = await host.os.state()
      await host.os.stage({ ...booted, extensions: ['usbguard'] })
      await host.os.stage(booted)
      expect(await host.os.state()).toEqual({ booted })
    })
  })

  describe('power', () => {
    it('has another boot id after each boot, and keeps its files', async () => {
      const seen = [await host.power.bootId()]
      expect(await host.power.bootId()).toBe(seen[0])
      const file = { content: Buffer.from('x'), mode: 0o600, uid: 1, gid: 2 }
      await host.files.write('/etc/kept', file)
      for (const reason of ['once', 'twice']) {
        await host.power.reboot(reason)
        host = await subject.reboot()
        const id = await host.power.bootId()
        expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
        expect(seen).not.toContain(id)
        seen.push(id)
      }
      expect(await host.files.stat('/etc/kept')).toMatchObject({ mode: 0o600, uid: 1, gid: 2 })
    })
  })
}
