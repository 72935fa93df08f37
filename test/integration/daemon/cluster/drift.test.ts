import { describe, expect, it } from 'vitest'
import { until } from '@machinist/testing/until'
import { nodePaths } from '../../../../src/api/node-paths.ts'
import type { Updates } from '../../../../src/daemon/apply/update.ts'
import { config, quietFile } from '../follow/facts.ts'
import { scene } from './scene.ts'

const { machine } = scene()
const policy = '/etc/containers/policy.json'

describe('drift', { timeout: 60_000 }, () => {
  it('is reported with all differences, and cleared when the disk is restored', async () => {
    const files = { [quietFile]: 'one', '/etc/motd': 'one' }
    const node = await machine('drifting').joined(config('drift-1', files))
    node.start()
    await node.untilDone('drift-1')
    await node.put(quietFile, 'other')
    await node.untilAnnotation('state', 'Degraded')
    const first = await node.annotation('reason')
    expect(first).toMatch(
      /^unexpected on-disk state validating against drift-1: \/var\/lib\/kubelet\/config.json /,
    )
    expect(first).toContain('sha256:')
    expect(first).not.toContain('other')
    await node.host.files.change('/etc/motd', { mode: 0o600, uid: 7, gid: 8 })
    await node.until('the second difference is reported', async () => {
      return ((await node.annotation('reason')) ?? '').includes('/etc/motd')
    })
    const second = await node.annotation('reason')
    expect(second).toContain('0600')
    expect(second).toContain('7:8')
    expect(node.metrics.text()).toMatch(/^mcd_config_drift [1-9]/m)
    await node.put(quietFile, 'one')
    await node.host.files.change('/etc/motd', { mode: 0o644, uid: 0, gid: 0 })
    await node.untilDone('drift-1')
    expect(await node.annotation('reason')).toBe('')
    expect(node.host.actions).toEqual([])
    expect(node.metrics.text()).toMatch(/^mcd_config_drift 0$/m)
    await node.until('an event is emitted', async () => {
      return (await node.events()).some((event) => event.startsWith('ConfigDriftDetected'))
    })
  })

  it('during a verification is found by another one', async () => {
    const node = await machine('busy').joined(config('busy-1', { [quietFile]: 'one' }))
    const state = node.host.os.state.bind(node.host.os)
    let calls = 0
    node.host.os.state = async () => {
      // Called once at the start, and then at the end of each verification, after all files have been read.
      if (++calls === 2) {
        await node.put(quietFile, 'other')
        const then = node.clock.elapsed() + 1000
        await until('a second has passed', () => node.clock.elapsed() >= then)
      }
      return state()
    }
    node.start()
    await node.untilAnnotation('state', 'Degraded')
    expect(await node.annotation('reason')).toContain(quietFile)
  })

  it('is watched again after an update that could not begin was taken back', async () => {
    let tried = 0
    const updates: Updates = {
      interrupted: () => Promise.resolve(undefined),
      run: () => Promise.reject(new Error(`${++tried}: the journal cannot be read`)),
      resume: () => Promise.reject(new Error('there is nothing to resume')),
    }
    const first = config('begun-1', { [quietFile]: 'one' })
    const node = await machine('begun', { updates }).joined(first)
    node.start()
    await node.untilDone('begun-1')
    await node.desire(config('begun-2', { [quietFile]: 'two' }))
    await node.until('it was tried', () => tried > 0)
    await node.desire(first)
    await node.untilDone('begun-1')
    await node.put(quietFile, 'other')
    await node.untilAnnotation('state', 'Degraded')
    expect(await node.annotation('reason')).toContain(quietFile)
  })

  it('without a watch event is found by the sweep', async () => {
    const node = await machine('swept').joined(config('swept-1', { [quietFile]: 'one' }))
    node.host.files.watch = () => ({ close() {} })
    node.start()
    await node.untilDone('swept-1')
    await node.put(quietFile, 'other')
    await node.until(
      'it is Degraded',
      async () => (await node.annotation('state')) === 'Degraded',
      60_000,
    )
    expect(await node.annotation('reason')).toContain(quietFile)
  })

  it('blocks an update; the force file allows it, with a reboot', async () => {
    const node = await machine('forced').joined(config('forced-1', { [quietFile]: 'one' }))
    node.start()
    await node.untilDone('forced-1')
    await node.put(quietFile, 'other')
    await node.untilAnnotation('state', 'Degraded')
    await node.desire(config('forced-2', { [quietFile]: 'two' }))
    await node.clock.advance(120_000)
    expect(await node.read(quietFile)).toBe('other')
    await node.put(nodePaths.force, '')
    await node.answerDrain('drain-forced-2')
    await node.reboots()
    await node.answerDrain('uncordon-forced-2')
    await node.untilDone('forced-2')
    expect(await node.read(quietFile)).toBe('two')
    expect(await node.host.files.stat(nodePaths.force)).toBeUndefined()
  })

  it('is healed if that needs no drain or reboot, with the actions of the policy', async () => {
    const node = await machine('healing', { drift: 'heal' }).joined(
      config('heal-1', { [policy]: 'one', '/etc/motd': 'one' }),
    )
    node.start()
    await node.untilDone('heal-1')
    await node.put(policy, 'other')
    await node.until('it is healed', async () => (await node.read(policy)) === 'one')
    await node.until('crio is reloaded', () => node.host.actions.length > 0)
    await node.untilDone('heal-1')
    expect(node.host.actions).toEqual([{ type: 'reload', unit: 'crio.service' }])
    expect(await node.host.files.stat(`${nodePaths.originals}${policy}.mcdorig`)).toBeUndefined()
    await node.put('/etc/motd', 'other')
    await node.untilAnnotation('state', 'Degraded')
    expect(await node.read('/etc/motd')).toBe('other')
  })

  it('in excepted paths is ignored', async () => {
    const ca = '/etc/kubernetes/kubelet-ca.crt'
    const tuned = '/etc/tuned/x.conf'
    const node = await machine('excepted', { ignoredDrift: ['/etc/tuned'] }).joined(
      config('except-1', { [ca]: 'one', [tuned]: 'one', [quietFile]: 'one' }),
    )
    await node.put(ca, 'rotated')
    await node.put(tuned, 'tuned')
    node.start()
    await node.untilDone('except-1')
    await node.desire(config('except-2', { [ca]: 'one', [tuned]: 'one', [quietFile]: 'two' }))
    await node.untilDone('except-2')
    expect(await node.read(ca)).toBe('rotated')
    expect(await node.read(tuned)).toBe('tuned')
  })
})
