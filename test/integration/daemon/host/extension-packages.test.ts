import { describe, expect, it } from 'vitest'
import { MemoryFiles } from '../../../../src/daemon/host/memory/memory-files.ts'
import { RpmOstree } from '../../../../src/daemon/host/linux/os/rpm-ostree.ts'
import { SimulatedRunner } from '../../../../src/daemon/host/linux/rpm-ostree-simulator.fixture.ts'

const ipsec = ['NetworkManager-libreswan', 'libreswan', 'openvswitch3.5-ipsec']

/** Packages that are there, extensions that are wanted, what is installed and what goes; from the original's own tests. */
const cases: readonly [string[], string[], string[], string[]][] = [
  [[], [], [], []],
  [[], ['sysstat'], ['sysstat'], []],
  [['sysstat'], ['sysstat'], [], []],
  [['sysstat'], [], [], ['sysstat']],
  [['sysstat', ...ipsec], ['sysstat'], [], ipsec],
  [['sysstat'], ['ipsec'], ipsec, ['sysstat']],
  [
    ['pacemaker', 'sysstat'],
    ['two-node-ha', 'usbguard'],
    ['fence-agents-all', 'pcs', 'usbguard'],
    ['sysstat'],
  ],
  [['random-package'], ['sysstat'], ['sysstat'], []],
]

describe('the packages of extensions', () => {
  it.each(cases)('from %j to %j: come %j, go %j', async (packages, extensions, come, go) => {
    const booted = { image: 'os.example/os:1', kernelArguments: ['rw'] }
    const runner = new SimulatedRunner({
      deployments: [{ ...booted, packages, removed: [], booted: true }],
    })
    const os = new RpmOstree(runner, new MemoryFiles())
    await os.stage({ ...booted, kernelType: 'default', extensions })
    expect(runner.state.deployments[0]!.packages.toSorted()).toEqual(
      [...new Set(packages).difference(new Set(go)), ...come].toSorted(),
    )
    const changes = come.length + go.length
    expect(runner.ran.length).toBe(changes === 0 ? 0 : 1)
  })
})
