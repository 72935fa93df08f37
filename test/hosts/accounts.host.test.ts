import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Host } from '../../src/daemon/host/host.ts'
import { failureOf } from '../../src/daemon/host/linux/failure.fixture.ts'
import { describeOnMachines } from './host-tools.ts'
import { Machine } from './machine.ts'

describeOnMachines('the accounts of a machine', (tools) => {
  let machine: Machine
  let host: Host

  beforeAll(async () => {
    machine = await Machine.start(async (directory) => ({
      lower: `${tools}/root`,
      options: [`--directory=${directory}/root`],
    }))
    host = machine.host()
  })

  afterAll(() => machine?.stop())

  const hash = '$6$salt$abcdefghijklmnopqrstuvwxyz./0123456789'

  it('are found only by name', async () => {
    expect(await host.accounts.user('root')).toEqual({ uid: 0, gid: 0, home: '/root' })
    expect(await host.accounts.user('core')).toEqual({ uid: 1000, gid: 1000, home: '/home/core' })
    expect(await host.accounts.group('core')).toBe(1000)
    expect(await host.accounts.group('nobody-has-this')).toBeUndefined()
    expect(await host.accounts.user('1000')).toBeUndefined()
    expect(await host.accounts.user('--help')).toBeUndefined()
  })

  it.for([hash, '*', '', '!', '$y$j9T$abc$def'])('accept the password hash %j', async (value) => {
    await host.accounts.setPasswordHash('core', value)
    expect(await host.accounts.passwordHash('core')).toBe(value)
    const line = await machine.run('getent', 'shadow', 'core')
    expect(line.split(':')[1]).toBe(value)
    expect(await host.files.stat('/etc/shadow')).toMatchObject({ type: 'file', mode: 0o640 })
  })

  it('keep the hashes of other users', async () => {
    const before = await host.accounts.passwordHash('root')
    await host.accounts.setPasswordHash('core', hash)
    expect(await host.accounts.passwordHash('root')).toBe(before)
    expect(await failureOf(host.accounts.setPasswordHash('core', 'x\nroot:y'))).toEqual({
      code: 'EINVAL',
      message: 'the password hash of user core contains invalid characters',
    })
    expect(await failureOf(host.accounts.setPasswordHash('nobody-has-this', hash))).toEqual({
      code: 'ENOENT',
      message: 'user "nobody-has-this" does not exist on this machine',
    })
    expect(await host.accounts.passwordHash('root')).toBe(before)
  })

  it('show no hash in the error when they cannot be changed', async () => {
    // Another process holds the lock of chpasswd.
    await machine.run('sh', '-c', 'echo 1 > /etc/.pwd.lock; echo 1 > /etc/shadow.lock')
    const failure = await failureOf(host.accounts.setPasswordHash('core', '$6$other$hash'))
    await machine.run('rm', '/etc/shadow.lock')
    expect(failure).toEqual({
      code: 'exit 1',
      message: 'chpasswd did not set the password of user core',
    })
    expect(await host.accounts.passwordHash('core')).toBe(hash)
  })

  it('are on an operating system that cannot be changed', async () => {
    expect(await host.os.facts()).toMatchObject({ id: 'debian', changes: { driver: 'packages' } })
    const { booted } = await host.os.state()
    expect(await failureOf(host.os.stage(booted))).toBeUndefined()
    const other = { ...booted, kernelArguments: [...booted.kernelArguments, 'nosmt'] }
    expect(await failureOf(host.os.stage(other))).toMatchObject({ code: 'ENOTSUP' })
  })
})
