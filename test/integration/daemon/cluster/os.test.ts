import { describe, expect, it } from 'vitest'
import { nodePaths } from '../../../../src/api/node-paths.ts'
import { HostFailure } from '../../../../src/daemon/host/host-failure.ts'
import { config, quietFile } from '../follow/facts.ts'
import { withDriver } from '../with-driver.ts'
import type { Machine } from './machine.ts'
import { scene } from './scene.ts'

const { machine } = scene()

const files = { [quietFile]: 'x' }
const image = (number: number): object => ({ osImageURL: `os.example/os:${number}` })

async function eventsWith(node: Machine, last: string): Promise<string[]> {
  let found: string[] = []
  await node.until(`the event ${last} is emitted`, async () => {
    found = await node.events()
    return found.some((event) => event.startsWith(`${last}: `))
  })
  return found
}

describe('an update of the OS', { timeout: 60_000 }, () => {
  it('is reported from its start until it is staged', async () => {
    const node = machine('new-image')
    await node.host.os.stage({ ...(await node.host.os.state()).booted, image: 'os.example/os:1' })
    await node.host.boot()
    await node.joined(config('image-1', files, image(1)), { topology: 'SingleReplica' })
    node.start()
    await node.untilDone('image-1')
    await node.desire(config('image-2', files, image(2)))
    await node.reboots()
    await node.untilDone('image-2')
    const events = await eventsWith(node, 'OSUpdateStaged')
    expect(events).toEqual(
      expect.arrayContaining([
        'InClusterUpgrade: Updating from oscontainer os.example/os:2',
        'OSUpdateStarted: Changing the OS (image) for image-2',
        'OSUpgradeApplied: The OS image of image-2 (os.example/os:2) is staged for the next boot',
        'OSUpdateStaged: Changes to the OS are staged',
      ]),
    )
    expect(events.join('\n')).not.toMatch(/OSUpgradeSkipped|FailedFinalization/)
    expect(node.metrics.text()).toContain('mcd_local_unsupported_packages{node="new-image"} 0\n')
    await node.desire(
      config('image-3', files, { osImageURL: 'os.example/os:2', kernelArguments: ['nosmt'] }),
    )
    await node.reboots()
    await node.untilDone('image-3')
    const more = await eventsWith(node, 'OSUpgradeSkipped')
    expect(more).toContain(
      'OSUpgradeSkipped: The OS image of image-3 is the same as that of image-2 (os.example/os:2)',
    )
    expect(more).toContain('OSUpdateStarted: Changing the OS (kernelArguments) for image-3')
    expect(more.filter((event) => event.startsWith('InClusterUpgrade'))).toHaveLength(1)
  })

  it('that cannot be staged, or whose reboot fails, is rolled back, reported, counted and retried', async () => {
    const node = machine('refusing-machine')
    await node.joined(config('try-1', files), { topology: 'SingleReplica' })
    node.start()
    await node.untilDone('try-1')
    const stage = node.host.os.stage.bind(node.host.os)
    const reboot = node.host.power.reboot.bind(node.host.power)
    const refuses = (what: string) => (): Promise<never> =>
      Promise.reject(new HostFailure(`${what} failed (exit 1)`, 'exit 1'))
    node.host.os.stage = refuses('rpm-ostree rebase')
    node.host.power.reboot = refuses('systemd-run')
    await node.desire(config('try-2', { [quietFile]: 'y' }, image(2)))
    const degraded = async (reason: string): Promise<void> => {
      await node.until(`it is Degraded by ${reason}`, async () => {
        return ((await node.annotation('reason')) ?? '').includes(reason)
      })
      expect(await node.read(quietFile)).toBe('x')
    }
    await degraded('the update from try-1 to try-2 failed: rpm-ostree rebase failed (exit 1)')
    expect(node.metrics.text()).toMatch(/^mcd_pivot_errors_total [1-9]/m)
    node.host.os.stage = stage
    await degraded('failed: reboot command failed: systemd-run failed (exit 1)')
    expect(node.metrics.text()).toMatch(/^mcd_reboots_failed_total [1-9]/m)
    expect(node.metrics.text()).toMatch(
      /^mcd_update_state\{config="try-2",err="systemd-run failed \(exit 1\)"\}/m,
    )
    expect(await node.host.os.state()).not.toHaveProperty('staged')
    node.host.power.reboot = reboot
    await node.reboots()
    await node.untilDone('try-2')
    expect(node.metrics.text()).toMatch(/^mcd_pivot_errors_total 0$/m)
  })

  it('that did not boot is Degraded with the cause, until it did', async () => {
    const failure = 'error: Installing kernel: regfile copy: No space left on device'
    const node = machine('no-room')
    await node.joined(config('room-1', files), { topology: 'SingleReplica' })
    node.start()
    await node.untilDone('room-1')
    await node.host.os.breakFinalization(failure)
    await node.desire(config('room-2', files, image(2)))
    await node.reboots()
    await node.untilAnnotation('state', 'Degraded')
    expect(await node.annotation('finalizeStagedFailure')).toBe(failure)
    expect(await node.annotation('reason')).toMatch(
      /^unexpected on-disk state validating against room-2: .*os\.example\/os:2.*; possible root cause: error: Installing kernel: regfile copy: No space left on device\. Restore the disk, /,
    )
    expect(await eventsWith(node, 'FailedFinalization')).toContain(`FailedFinalization: ${failure}`)
    await node.until('the MachineConfigNode reports it', async () => {
      return (await node.condition('NodeDegraded')).includes(failure)
    })
    await node.put(nodePaths.force, '')
    await node.reboots()
    await node.untilDone('room-2')
    expect((await node.host.os.state()).booted.image).toBe('os.example/os:2')
    expect(await node.annotation('finalizeStagedFailure')).toBe('')
    expect(await node.annotation('reason')).toBe('')
  })

  it('that did not boot is left without a force file once the previous config is desired', async () => {
    const node = machine('reverted')
    await node.joined(config('revert-1', files))
    node.start()
    await node.untilDone('revert-1')
    await node.host.os.breakFinalization('error: no room')
    await node.desire(config('revert-2', { [quietFile]: 'y' }, image(2)))
    await node.answerDrain('drain-revert-2')
    await node.reboots()
    await node.untilAnnotation('state', 'Degraded')
    expect(await node.read(quietFile)).toBe('y')
    await node.desire(config('revert-1', files))
    await node.answerDrain('drain-revert-1')
    await node.reboots()
    await node.answerDrain('uncordon-revert-1')
    await node.untilDone('revert-1')
    expect(await node.read(quietFile)).toBe('x')
    expect((await node.host.os.state()).booted.image).toBe('machine-os.example/os:1')
    expect(await node.annotation('reason')).toBe('')
  })

  it('removes the previous OS once the node is Done, and only then', async () => {
    const node = machine('roomy')
    const freed: string[] = []
    node.host.os.dropRollback = async () => {
      freed.push((await node.annotation('state')) ?? '')
    }
    await node.joined(config('roomy-1', files))
    node.start()
    await node.untilDone('roomy-1')
    await node.until('it is freed', () => freed.length > 0)
    await node.desire(config('roomy-2', { [quietFile]: 'y' }))
    await node.untilDone('roomy-2')
    expect(freed).toEqual(['Done'])
  })

  it('does not depend on the boot report', async () => {
    const node = machine('silent')
    const fails = (): Promise<never> => Promise.reject(new Error('Bus owner changed'))
    node.host.os.bootReport = fails
    node.host.os.dropRollback = fails
    await node.joined(config('silent-1', files))
    node.start()
    await node.untilDone('silent-1')
    await node.desire(config('silent-2', { [quietFile]: 'y' }))
    await node.untilDone('silent-2')
    expect(await node.read(quietFile)).toBe('y')
    expect(await node.annotation('reason')).toBe('')
  })
})

describe('a machine without an OS driver', { timeout: 60_000 }, () => {
  it('is Unreconcilable for kernel arguments without a drain, until they are removed', async () => {
    const node = machine('debian')
    await node.joined(config('debian-1', files))
    node.start({ host: withDriver(node.host, 'packages') })
    await node.untilDone('debian-1')
    await node.desire(config('debian-2', files, { kernelArguments: ['nosmt'] }))
    await node.untilAnnotation('state', 'Unreconcilable')
    const reason =
      "can't reconcile config debian-1 with debian-2: kernel argument nosmt (from MachineConfig debian-2) is not in /proc/cmdline and cannot be applied: this machine is not managed by rpm-ostree, bootc or ostree. Set it in the boot loader and reboot, or remove it from the MachineConfig"
    expect(await node.annotation('reason')).toBe(reason)
    expect(await node.annotation('desiredDrain')).toBeUndefined()
    expect(await node.annotation('currentConfig')).toBe('debian-1')
    await node.until('the MachineConfigNode reports it', async () => {
      return (await node.condition('UpdatePrepared')) === `False: ${reason}`
    })
    await node.desire(config('debian-3', files))
    await node.untilDone('debian-3')
  })

  it('that was served kernel arguments joins, and reports that they are not in effect', async () => {
    const node = machine('debian-joins')
    await node.joined(config('served-1', files, { kernelArguments: ['nosmt'] }))
    node.start({ host: withDriver(node.host, 'packages') })
    await node.untilAnnotation('state', 'Unreconcilable')
    expect(await node.annotation('reason')).toMatch(
      /^served-1 is not in effect: kernel argument nosmt \(from MachineConfig served-1\) is not in /,
    )
    expect(await node.annotation('currentConfig')).toBe('served-1')
    await node.desire(config('served-2', files))
    await node.untilDone('served-2')
  })
})
