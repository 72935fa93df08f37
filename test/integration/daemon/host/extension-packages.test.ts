import { describe, expect, it } from 'vitest'
import { MemoryFiles } from '../../../../src/daemon/host/memory/memory-files.ts'
import { RpmOstree } from '../../../../src/daemon/host/linux/os/rpm-ostree.ts'
import { SimulatedRunner } from '../../../../src/daemon/host/linux/os/rpm-ostree-simulator.fixture.ts'

const ipsec = ['NetworkManager-libreswan', 'libreswan', 'openvswitch3.5-ipsec']

/** Installed packages, desired extensions, packages to install and to remove; from the tests of MCO. */
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
  it.each(cases)(
    'from %j to %j: install %j, remove %j',
    async (packages, extensions, install, remove) => {
      const booted = { image: 'os.example/os:1', kernelArguments: ['rw'] }
      const runner = new SimulatedRunner({
        deployments: [{ ...booted, packages, removed: [], booted: true }],
      })
      const os = new RpmOstree(runner, new MemoryFiles())
      await os.stage({ ...booted, kernelType: 'default', extensions })
      expect(runner.state.deployments[0]!.packages.toSorted()).toEqual(
        [...new Set(packages).difference(new Set(remove)), ...install].toSorted(),
      )
      const changes = install.length + remove.length
      expect(runner.ran.length).toBe(changes === 0 ? 0 : 1)
    },
  )
})
