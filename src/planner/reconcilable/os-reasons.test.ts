import { describe, expect, it } from 'vitest'
import type { Parts } from '../configs.fixture.ts'
import { facts, file, machineConfig, planned, spec } from '../configs.fixture.ts'
import { osCapabilities } from '../model/os-capabilities.ts'
import { plan } from '../plan.ts'
import type { PlanInput } from '../model/plan-input.ts'
import { encodeProvenance } from '../provenance/provenance.ts'
import type { NodeFacts, UpdatePlan } from '../model/update-plan.ts'

const debian: NodeFacts = {
  ...facts,
  os: osCapabilities.packages,
  bootedKernelArguments: ['root=/dev/vda1', 'ro', 'quiet'],
}
const bootc: NodeFacts = { ...debian, os: osCapabilities.bootc }
const ostree: NodeFacts = { ...debian, os: osCapabilities.ostree }

const on = (node: NodeFacts, before: Parts, after: Parts): UpdatePlan =>
  planned(before, after, { facts: node })

describe('a machine without an OS driver', () => {
  it('rejects kernel arguments before the drain, with their MachineConfig', () => {
    const desired = machineConfig('rendered-worker-1', spec({ kernelArguments: ['audit=1 nosmt'] }))
    const text = encodeProvenance({
      kernelArguments: { '': '60-audit', 'audit=1 nosmt': '60-audit' },
    })
    const annotations = { 'machinist.dev/provenance': text }
    const made = plan({
      current: machineConfig('rendered-worker-0', spec({})),
      desired: { ...desired, metadata: { name: 'rendered-worker-1', annotations } },
      rules: '4.16',
      facts: debian,
    })
    expect(made).toMatchObject({ reconcilable: false, drain: false, reboot: false, steps: [] })
    expect(made.reasons).toEqual([
      'kernel arguments audit=1 and nosmt (from MachineConfig 60-audit) are not in /proc/cmdline and cannot be applied: this machine is not managed by rpm-ostree, bootc or ostree. Set them in the boot loader and reboot, or remove them from the MachineConfig',
    ])
  })

  it('accepts arguments that an administrator set in the boot loader', () => {
    const made = on(debian, {}, { kernelArguments: ['quiet'], files: [file('/etc/a', '1')] })
    expect(made.reconcilable).toBe(true)
    expect(made.steps.map((step) => step.do)).not.toContain('change-os')
  })

  it('also rejects the next config while an argument of the last one is missing', () => {
    const kernelArguments = ['nosmt']
    const made = on(debian, { kernelArguments }, { kernelArguments, files: [file('/etc/a', '1')] })
    expect(made.reconcilable).toBe(false)
  })

  it('accepts the removal of an argument that was never applied, and rejects that of another', () => {
    expect(on(debian, { kernelArguments: ['nosmt'] }, {}).reconcilable).toBe(true)
    expect(on(debian, { kernelArguments: ['quiet'] }, {}).reasons).toEqual([
      'kernel argument quiet is in /proc/cmdline and cannot be removed: this machine is not managed by rpm-ostree, bootc or ostree. Remove it in the boot loader and reboot',
    ])
  })

  it.each<[Parts, string]>([
    [{ kernelType: 'realtime' }, 'kernelType realtime (from MachineConfig new)'],
    [{ extensions: ['usbguard'] }, 'extensions usbguard (from MachineConfig new)'],
  ])('rejects %j', (after, what) => {
    expect(on(debian, {}, after).reasons).toEqual([
      `${what} cannot be applied: this machine is not managed by rpm-ostree, bootc or ostree. Remove it from the MachineConfig`,
    ])
  })

  it('rejects an OS image of a MachineConfig or a build, but not that of the release', () => {
    const image = { osImageURL: 'quay.example/os:2' }
    expect(on(debian, {}, image).reconcilable).toBe(true)
    expect(planned({}, image, { facts: debian, isLayered: true }).reconcilable).toBe(false)
    const annotations = { 'machineconfiguration.openshift.io/os-image-url-overridden': 'true' }
    const input: PlanInput = {
      current: machineConfig('a', spec({})),
      desired: { ...machineConfig('b', spec(image)), metadata: { name: 'b', annotations } },
      rules: '4.16',
      facts: debian,
    }
    expect(plan(input).reasons).toEqual([
      'osImageURL quay.example/os:2 (from MachineConfig b) cannot be applied: this machine is not managed by rpm-ostree, bootc or ostree. Remove it from the MachineConfig',
    ])
  })

  it('accepts the config with osLimits note', () => {
    const made = planned({}, { kernelArguments: ['nosmt'] }, { facts: debian, osLimits: 'note' })
    expect(made).toMatchObject({ reconcilable: true, reboot: false })
    expect(made.changes[0]!.summary).toMatch(
      'kernel arguments change: add nosmt, recorded but not applied',
    )
  })
})

describe('the capabilities of drivers', () => {
  it('bootc changes the image, and rejects arguments before the drain', () => {
    expect(on(bootc, {}, { osImageURL: 'b' }).steps.map((step) => step.do)).toContain('change-os')
    expect(on(bootc, {}, { kernelArguments: ['nosmt'] }).reasons).toEqual([
      'kernel argument nosmt (from MachineConfig new) is not in /proc/cmdline and cannot be applied: bootc can change only the image. Set it in the image (/usr/lib/bootc/kargs.d), or remove it from the MachineConfig',
    ])
  })

  it('ostree changes arguments, and rejects extensions', () => {
    expect(on(ostree, {}, { kernelArguments: ['nosmt'] }).reboot).toBe(true)
    expect(on(ostree, {}, { extensions: ['usbguard'] }).reconcilable).toBe(false)
  })

  it('rpm-ostree changes everything', () => {
    const after = { kernelArguments: ['nosmt'], extensions: ['usbguard'], kernelType: 'realtime' }
    expect(on(facts, {}, after).reconcilable).toBe(true)
  })
})
