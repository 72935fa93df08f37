import { describe, expect, it } from 'vitest'
import { MemoryHost } from '../../../../src/daemon/host/memory/memory-host.ts'
import { faultyHost, Faults } from '../../../../src/daemon/host/faults.fixture.ts'
import { osCapabilities } from '../../../../src/planner/model/os-capabilities.ts'
import { failure } from './files-contract.ts'
import { hostContract } from './host-contract.ts'
import { memorySubject } from './subjects.ts'

hostContract('a host in memory', memorySubject)

describe('a host in memory', () => {
  it('records requested actions', async () => {
    const host = new MemoryHost()
    await host.units.daemonReload()
    await host.units.reload('crio.service')
    await host.units.restart('kubelet.service')
    await host.power.reboot('because')
    expect(host.actions).toEqual([
      { type: 'daemon-reload' },
      { type: 'reload', unit: 'crio.service' },
      { type: 'restart', unit: 'kubelet.service' },
      { type: 'reboot', reason: 'because' },
    ])
  })

  it('shares no state with other hosts', async () => {
    const hosts = Array.from({ length: 300 }, (_, i) => new MemoryHost({ name: `node-${i}` }))
    const ids = await Promise.all(hosts.map((host) => host.power.bootId()))
    expect(new Set(ids).size).toBe(300)
    await hosts[0]!.files.remove('/etc/passwd')
    expect(await hosts[1]!.accounts.user('core')).toBeDefined()
  })

  it('uses the options of the machine', async () => {
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
  it('fails at the injected point, and only in its faulty parts', async () => {
    const faults = new Faults({ at: 2, fail: 'exit 1' })
    const host = faultyHost(new MemoryHost(), faults, ['units', 'power'])
    await host.files.stat('/etc/passwd')
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
