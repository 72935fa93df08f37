import { describe, expect, it } from 'vitest'
import { MemoryHost } from '../../../../src/daemon/host/memory/memory-host.ts'
import { faultyHost, Faults } from '../../../../src/daemon/host/faults.fixture.ts'
import { failure } from './files-contract.ts'
import { hostContract } from './host-contract.ts'
import { memorySubject } from './subjects.ts'
import { osCapabilities } from '../../../../src/planner/os-capabilities.ts'

hostContract('a host in memory', memorySubject)

describe('a host in memory', () => {
  it('remembers what it was asked to do', async () => {
    const host = new MemoryHost()
    await host.units.daemonReload()
    await host.units.reload('crio.service')
    await host.units.restart('kubelet.service')
    await host.power.reboot('because')
    expect(host.actions).toEqual([
      { do: 'daemon-reload' },
      { do: 'reload', unit: 'crio.service' },
      { do: 'restart', unit: 'kubelet.service' },
      { do: 'reboot', reason: 'because' },
    ])
  })

  it('is one of hundreds that have nothing in common', async () => {
    const hosts = Array.from({ length: 300 }, (_, i) => new MemoryHost({ name: `node-${i}` }))
    const ids = await Promise.all(hosts.map((host) => host.power.bootId()))
    expect(new Set(ids).size).toBe(300)
    await hosts[0]!.files.remove('/etc/passwd')
    expect(await hosts[1]!.accounts.user('core')).toBeDefined()
  })

  it('is the machine that it is told to be', async () => {
    const host = new MemoryHost({
      os: { id: 'rhcos', versionId: '4.16', architecture: 'aarch64', fips: true },
      booted: { image: 'os:2', kernelArguments: ['ro'] },
    })
    expect(await host.os.facts()).toEqual({
      id: 'rhcos',
      versionId: '4.16',
      variantId: 'coreos',
      architecture: 'aarch64',
      changes: osCapabilities['rpm-ostree'],
      fips: true,
    })
    expect((await host.os.state()).booted).toEqual({
      image: 'os:2',
      kernelArguments: ['ro'],
      kernelType: 'default',
      extensions: [],
    })
  })
})

describe('a faulty host', () => {
  it('fails where it is told to, and only in its faulty parts', async () => {
    const faults = new Faults({ at: 2, fail: 'exit 1' })
    const host = faultyHost(new MemoryHost(), faults, ['units', 'power'])
    await host.files.look('/etc/passwd')
    await host.units.enable(['crio.service'])
    expect(await failure(host.units.restart('crio.service'), 'units.restart crio')).toBe('exit 1')
    await host.units.restart('crio.service')
    await host.power.bootId()
    expect(faults.operations).toEqual([
      'units.enable crio.service',
      'units.restart crio.service',
      'units.restart crio.service',
      'power.bootId',
    ])
  })
})
