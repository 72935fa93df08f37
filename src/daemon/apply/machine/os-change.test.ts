import { describe, expect, it } from 'vitest'
import { faultyHost, Faults } from '../../host/faults.fixture.ts'
import type { OsDeployment } from '../../host/host.ts'
import { MemoryHost } from '../../host/memory/memory-host.ts'
import { sameDeployment } from '../../host/same-deployment.ts'
import type { ChangeOsStep } from './os-change.ts'
import { applyOsStep, stageIfNeeded } from './os-change.ts'

const before: OsDeployment = {
  image: 'os:1',
  kernelArguments: ['rw', 'quiet', 'a=1', 'a=1'],
  kernelType: 'default',
  extensions: ['usbguard'],
}

describe('a step changes a deployment', () => {
  it.each<[string, Omit<ChangeOsStep, 'do'>, Partial<OsDeployment>]>([
    ['nothing', {}, {}],
    ['another image', { image: { from: 'os:1', to: 'os:2' } }, { image: 'os:2' }],
    [
      'another kernel',
      { kernelType: { from: 'default', to: 'realtime' } },
      { kernelType: 'realtime' },
    ],
    [
      'extensions, sorted',
      { extensions: { from: ['usbguard'], to: ['usbguard', 'kerberos'] } },
      { extensions: ['kerberos', 'usbguard'] },
    ],
    [
      'arguments: each is removed once, missing ones are ignored, new ones are appended',
      { kernelArguments: { remove: ['a=1', 'gone'], add: ['b=2', 'b=2'] } },
      { kernelArguments: ['rw', 'quiet', 'a=1', 'b=2', 'b=2'] },
    ],
  ])('%s', (_, step, changed) => {
    expect(applyOsStep(before, { do: 'change-os', ...step })).toEqual({ ...before, ...changed })
  })
})

describe('the same deployment', () => {
  it('may list its extensions in another order, but not its arguments', () => {
    const two = { ...before, extensions: ['a', 'b'] }
    expect(sameDeployment(two, { ...two, extensions: ['b', 'a'] })).toBe(true)
    expect(sameDeployment(two, { ...two, kernelArguments: ['quiet', 'rw', 'a=1', 'a=1'] })).toBe(
      false,
    )
    expect(sameDeployment(two, { ...two, image: 'os:2' })).toBe(false)
  })

  it('is staged once', async () => {
    const host = new MemoryHost()
    const faults = new Faults({ at: 0, fail: '', only: (operation) => operation === 'os.stage' })
    const { os } = faultyHost(host, faults)
    const { booted } = await os.state()
    const desired = { ...booted, image: 'os:2' }
    await stageIfNeeded(os, booted)
    expect(faults.count).toBe(0)
    await stageIfNeeded(os, desired)
    await stageIfNeeded(os, desired)
    expect(faults.count).toBe(1)
    expect((await os.state()).staged).toEqual(desired)
    await stageIfNeeded(os, booted)
    expect((await os.state()).staged).toBeUndefined()
  })
})
