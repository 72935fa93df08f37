import { describe, expect, it } from 'vitest'
import { nodePaths } from '../../api/node-paths.ts'
import { messageOf } from '@machinist/core/errors'
import { createLogger } from '@machinist/core/log'
import { plainRun, quickClock, treeOf, updatesOn } from './machine.fixture.ts'
import { carryOut, plantScene, updateOf } from './scenario.fixture.ts'
import { apply, updateBetween } from './update-between.fixture.ts'
import type { Death } from '../host/faults.fixture.ts'
import { faultyHost, Faults } from '../host/faults.fixture.ts'
import { defaultRules, facts, file } from '../../planner/configs.fixture.ts'
import { plan } from '../../planner/plan.ts'
import type { HostFiles, NewFile } from '../host/host.ts'
import { MemoryHost } from '../host/memory/memory-host.ts'
import type { Outcome, Phase, Run } from './update.ts'

async function planted(): Promise<MemoryHost> {
  const host = new MemoryHost()
  await plantScene(host)
  host.actions.length = 0
  return host
}

const errorIn = (outcome: Outcome): string =>
  outcome.is === 'rolledBack' ? messageOf(outcome.error) : `it is ${outcome.is}`

/** Runs until the fault freezes it. */
async function cutOff(host: MemoryHost, to: 'b' | 'c', fault: Death): Promise<void> {
  const faults = new Faults({ ...fault, by: 'freeze' })
  const run = updatesOn(faultyHost(host, faults)).run(updateOf('a', to), plainRun())
  await Promise.race([run, faults.died])
}

const before = (operation: RegExp): Death => ({
  at: 1,
  die: 'before',
  only: (name) => operation.test(name),
})

const after = (operation: RegExp): Death => ({ ...before(operation), die: 'after' })

describe('an update', () => {
  it('tells its phases, takes the actions in order, and is verified', async () => {
    const host = await planted()
    const phases: Phase[] = []
    const run: Run = { ...plainRun(), progress: (phase) => phases.push(phase) }
    expect(await updatesOn(host).run(updateOf('a', 'c'), run)).toEqual({ is: 'applied' })
    expect(phases).toEqual(['files', 'units', 'actions'])
    expect(host.actions).toEqual([
      { do: 'daemon-reload' },
      { do: 'restart', unit: 'changed.service' },
      { do: 'reload', unit: 'crio.service' },
    ])
  })

  it('reboots, says why, and is finished by the next daemon', async () => {
    const host = await planted()
    const phases: Phase[] = []
    const run: Run = { ...plainRun(), progress: (phase) => phases.push(phase) }
    const outcome = await updatesOn(host).run(updateOf('a', 'b'), run)
    const reason =
      'update to rendered-b: kernel arguments take effect at boot (add nosmt; remove quiet) and another operating system image takes effect at boot'
    expect(outcome).toEqual({ is: 'rebooting', reason })
    expect(phases).toEqual(['files', 'units', 'os', 'actions', 'rebooting'])
    expect(await updatesOn(host).interrupted()).toMatchObject({
      rollingBack: false,
      reboot: { reason, happened: false },
    })
    await host.boot()
    expect(await updatesOn(host).interrupted()).toMatchObject({ reboot: { happened: true } })
    expect(await updatesOn(host).resume(plainRun())).toEqual({ is: 'applied' })
    expect(await updatesOn(host).interrupted()).toBeUndefined()
  })

  it('whose machine lost power before it went down stages again, and reboots again', async () => {
    const host = await planted()
    const { booted } = await host.os.state()
    await updatesOn(host).run(updateOf('a', 'b'), plainRun())
    await host.os.stage(booted)
    await host.boot()
    const interrupted = await updatesOn(host).interrupted()
    expect(interrupted).toMatchObject({ rollingBack: false, reboot: { happened: false } })
    expect(await updatesOn(host).resume(plainRun())).toMatchObject({ is: 'rebooting' })
    await host.boot()
    expect(await updatesOn(host).resume(plainRun())).toEqual({ is: 'applied' })
  })

  it('that is not to be done is refused with all reasons', async () => {
    const host = await planted()
    const update = updateBetween({}, { files: [file('../a', 'x'), file('/dev/b', 'y')] })
    const outcome = await updatesOn(host).run(update, plainRun())
    expect(outcome.is).toBe('rolledBack')
    expect(errorIn(outcome)).toContain('../a')
  })

  it('with a plan for another config is refused', async () => {
    const { plan, current } = updateBetween({}, {})
    const outcome = await updatesOn(new MemoryHost()).run(
      { plan, current, desired: current },
      plainRun(),
    )
    expect(outcome).toMatchObject({
      is: 'rolledBack',
      error: { message: 'the plan leads to new, not to old' },
    })
  })

  it('without anything to do only verifies, and writes nothing', async () => {
    const host = new MemoryHost()
    const parts = { files: [file('/etc/a', 'one')] }
    await apply(host, {}, parts)
    const faults = new Faults()
    const update = updateBetween(parts, parts)
    const same = { ...update, plan: { ...update.plan, steps: [] } }
    const updates = updatesOn(faultyHost(host, faults))
    expect(await updates.run(same, plainRun())).toEqual({ is: 'applied' })
    const changing = faults.operations.filter((name) => /\.(write|append|link|make)/.test(name))
    expect(changing).toEqual([])
    await host.files.write('/etc/a', { content: Buffer.from('two'), mode: 0o644, uid: 0, gid: 0 })
    expect(await updates.run(same, plainRun())).toEqual({
      is: 'unverified',
      differences: [
        {
          kind: 'file',
          at: '/etc/a',
          what: 'has content sha256:3fc4ccfe7458, expected sha256:7692c3ad3540',
        },
      ],
    })
  })

  it('that is forced repairs whatever somebody changed', async () => {
    const host = await planted()
    const tree = await treeOf(host.files)
    await host.files.write('/etc/app/changed', {
      content: Buffer.from('!'),
      mode: 0o777,
      uid: 3,
      gid: 3,
    })
    await host.files.remove('/etc/systemd/system/changed.service')
    await host.units.disable(['gone.service'])
    await host.files.remove('/etc/systemd/system/chronyd.service')
    const { current } = updateOf('a', 'b')
    const forced = plan({
      current,
      desired: current,
      rules: defaultRules,
      facts: { ...facts, forced: true },
    })
    const update = { plan: forced, current, desired: current }
    const outcome = await carryOut(host, () => updatesOn(host).run(update, plainRun()))
    expect(outcome).toEqual({ is: 'applied' })
    expect(await treeOf(host.files)).toEqual(tree)
  })

  it('refuses a second one at the same time', async () => {
    const host = await planted()
    await cutOff(host, 'c', before(/files\.write \/etc\/app/))
    await expect(updatesOn(host).run(updateOf('a', 'c'), plainRun())).rejects.toThrow(
      'another update is still under way',
    )
    await expect(updatesOn(new MemoryHost()).resume(plainRun())).rejects.toThrow(
      'there is no update to resume',
    )
  })
})

describe('an update that fails', () => {
  it('is undone exactly, and services that saw new files see the old ones', async () => {
    const host = await planted()
    await host.units.setHealth('crio.service', false)
    const tree = await treeOf(host.files)
    const outcome = await updatesOn(host).run(updateOf('a', 'c'), plainRun())
    expect(outcome).toMatchObject({
      is: 'rolledBack',
      error: { message: 'crio.service does not run 30 s after its reload' },
    })
    expect(await treeOf(host.files)).toEqual(tree)
    expect(host.actions.slice(3)).toEqual([
      { do: 'daemon-reload' },
      { do: 'restart', unit: 'changed.service' },
      { do: 'reload', unit: 'crio.service' },
    ])
  })

  it('and cannot be undone is stuck, and undone as soon as that works', async () => {
    const host = await planted()
    const tree = await treeOf(host.files)
    const isEnabling = (name: string): boolean => name.startsWith('units.enable ')
    const enabling = new Faults({ at: 1, fail: 'exit 1', only: isEnabling })
    const writing = new Faults({
      // The first time it is written, the second time it is put back.
      at: 2,
      fail: 'EROFS',
      always: true,
      only: (name) => name === 'files.write /etc/app/changed',
    })
    const dying = faultyHost(faultyHost(host, enabling), writing)
    expect(await updatesOn(dying).run(updateOf('a', 'c'), plainRun())).toMatchObject({
      is: 'stuck',
      error: { code: 'exit 1' },
      rollbackError: { code: 'EROFS' },
    })
    expect(await updatesOn(host).interrupted()).toMatchObject({ rollingBack: true })
    expect(await updatesOn(dying).resume(plainRun())).toMatchObject({ is: 'stuck' })
    const outcome = await updatesOn(host).resume(plainRun())
    expect(errorIn(outcome)).toContain('units.enable changed.service')
    expect(await treeOf(host.files)).toEqual(tree)
  })

  it('says nothing of what is secret, in errors and in logs', async () => {
    const host = await planted()
    await host.units.setHealth('changed.service', false)
    const lines: string[] = []
    const log = createLogger({ clock: quickClock(), write: (line) => lines.push(line) })
    const outcome = await updatesOn(host, log).run(updateOf('a', 'c'), plainRun())
    const said = JSON.stringify([lines, errorIn(outcome)])
    expect(lines.length).toBeGreaterThan(0)
    expect(said).not.toMatch(/\$6\$|AAAAfirst|AAAAsecond|shipped by/)
  })

  it('before it began has touched nothing, even if its journal was half there', async () => {
    const host = await planted()
    const tree = await treeOf(host.files)
    // As a disk that renames the file and cannot flush the directory.
    const { units, accounts, os, power, images } = host
    const files = unflushable(host.files, /intent\.json\.gz$/)
    const updates = updatesOn({ files, units, accounts, os, power, images })
    const outcome = await updates.run(updateOf('a', 'c'), plainRun())
    expect(outcome).toMatchObject({ is: 'rolledBack', error: { message: 'cannot flush' } })
    expect(await treeOf(host.files)).toEqual(tree)
    expect(await updates.interrupted()).toBeUndefined()
  })
})

/** Writes, and says that it did not. */
function unflushable(files: HostFiles, paths: RegExp): HostFiles {
  return new Proxy(files, {
    get(inner, key) {
      const member: unknown = Reflect.get(inner, key, inner)
      if (typeof member !== 'function') return member
      if (key !== 'write') return member.bind(inner) as unknown
      return async (path: string, file: NewFile) => {
        await inner.write(path, file)
        if (paths.test(path)) throw new Error('cannot flush')
      }
    },
  })
}

describe('an update that is told to stop', () => {
  const stopAt = (
    operation: RegExp,
    host: MemoryHost,
  ): { host: ReturnType<typeof faultyHost>; run: Run } => {
    const stop = new AbortController()
    const only = (name: string): boolean => {
      if (operation.test(name)) stop.abort()
      return false
    }
    const faulty = faultyHost(host, new Faults({ at: 1, fail: '', only }))
    return { host: faulty, run: { progress: () => {}, signal: stop.signal } }
  }

  it.each([
    ['while it writes files', /files\.write \/etc\/app/],
    ['while it sets units', /units\.enable/],
    ['while it restarts', /units\.restart/],
    ['while it waits for a service', /units\.healthy/],
  ])('%s parks, and the next daemon goes on', async (_, operation) => {
    const host = await planted()
    const stopped = stopAt(operation, host)
    expect(await updatesOn(stopped.host).run(updateOf('a', 'c'), stopped.run)).toEqual({
      is: 'parked',
    })
    expect(await updatesOn(host).interrupted()).toMatchObject({ rollingBack: false })
    expect(await updatesOn(host).resume(plainRun())).toEqual({ is: 'applied' })
  })

  it('before it began does not begin', async () => {
    const host = await planted()
    const signal = AbortSignal.abort()
    const outcome = await updatesOn(host).run(updateOf('a', 'c'), { progress: () => {}, signal })
    expect(outcome).toEqual({ is: 'parked' })
    expect(await updatesOn(host).interrupted()).toBeUndefined()
  })

  it('on its way back parks as well', async () => {
    const host = await planted()
    const tree = await treeOf(host.files)
    await host.units.setHealth('changed.service', false)
    const stopped = stopAt(/files\.tidy/, host)
    expect(await updatesOn(stopped.host).run(updateOf('a', 'c'), stopped.run)).toEqual({
      is: 'parked',
    })
    expect(await updatesOn(host).interrupted()).toMatchObject({ rollingBack: true })
    expect(await updatesOn(host).resume(plainRun())).toMatchObject({ is: 'rolledBack' })
    await host.units.setHealth('changed.service', true)
    expect(new Set(await treeOf(host.files)).isSupersetOf(new Set(tree))).toBe(true)
  })

  it('as often as anybody likes is no accident', async () => {
    const host = await planted()
    const first = stopAt(/files\.write \/etc\/app/, host)
    await updatesOn(first.host).run(updateOf('a', 'c'), first.run)
    for (let i = 0; i < 8; i++) {
      const signal = AbortSignal.abort()
      expect(await updatesOn(host).resume({ progress: () => {}, signal })).toEqual({ is: 'parked' })
    }
    expect(await updatesOn(host).resume(plainRun())).toEqual({ is: 'applied' })
  })
})

describe('a machine that goes down', () => {
  it('although nobody asked for it: the update goes on', async () => {
    const host = await planted()
    await cutOff(host, 'b', before(/files\.write .*currentconfig/))
    await host.boot()
    const outcome = await carryOut(host, () => updatesOn(host).resume(plainRun()))
    expect(outcome).toEqual({ is: 'applied' })
    expect((await host.os.state()).booted.image).toBe('machine-os.example/os:2')
  })

  it('not, although it was told to: it is told again', async () => {
    const host = await planted()
    await updatesOn(host).run(updateOf('a', 'b'), plainRun())
    const again = await updatesOn(host).resume(plainRun())
    expect(again.is).toBe('rebooting')
    expect(host.actions.filter((action) => action.do === 'reboot')).toHaveLength(2)
    await host.boot()
    expect(await updatesOn(host).resume(plainRun())).toEqual({ is: 'applied' })
  })

  it('into the new system while the update is undone: it reboots into the old one', async () => {
    const host = await planted()
    const tree = await treeOf(host.files)
    // The command fails, but the machine obeys.
    const only = (name: string): boolean => name.startsWith('power.reboot')
    const failing = faultyHost(host, new Faults({ at: 1, fail: 'timeout', only }), ['power'])
    const frozen = faultyHost(
      failing,
      new Faults({ at: 2, die: 'before', by: 'freeze', only: (name) => name === 'os.stage' }),
      ['os'],
    )
    void updatesOn(frozen).run(updateOf('a', 'b'), plainRun())
    while (!(await updatesOn(host).interrupted())?.rollingBack) await new Promise(setImmediate)
    await host.boot()
    const first = await updatesOn(host).resume(plainRun())
    expect(first).toMatchObject({ is: 'rebooting' })
    expect(await updatesOn(host).interrupted()).toMatchObject({
      rollingBack: true,
      reboot: { happened: false },
    })
    await host.boot()
    expect(await updatesOn(host).resume(plainRun())).toMatchObject({ is: 'rolledBack' })
    expect(await treeOf(host.files)).toEqual(tree)
  })

  it('and does not come back as it should: that is told, with everything that differs', async () => {
    const host = await planted()
    await updatesOn(host).run(updateOf('a', 'b'), plainRun())
    await host.os.breakFinalization('no space left on /boot')
    await host.boot()
    expect(await updatesOn(host).interrupted()).toMatchObject({ reboot: { happened: true } })
    expect(await updatesOn(host).resume(plainRun())).toEqual({
      is: 'unverified',
      differences: [
        {
          kind: 'osImage',
          at: 'the operating system',
          what: 'expected target osImageURL machine-os.example/os:2, have machine-os.example/os:1',
        },
        {
          kind: 'kernelArguments',
          at: 'the kernel',
          what: 'missing expected kernel arguments: nosmt',
        },
      ],
    })
  })
})

describe('an update that is cut off again and again', () => {
  it('is undone after the sixth time', async () => {
    const host = await planted()
    const tree = await treeOf(host.files)
    await cutOff(host, 'c', after(/files\.write \/etc\/app/))
    const outcomes: Outcome['is'][] = []
    for (let i = 0; i < 6; i++) {
      const faults = new Faults({
        at: 1,
        die: 'before',
        by: 'freeze',
        only: (name) => name.startsWith('units.preset'),
      })
      const outcome = await Promise.race([
        updatesOn(faultyHost(host, faults)).resume(plainRun()),
        faults.died,
      ])
      if (outcome) outcomes.push(outcome.is)
    }
    expect(outcomes).toEqual(['rolledBack'])
    expect(await treeOf(host.files)).toEqual(tree)
  })

  it('leaves nothing of a journal that was being ended', async () => {
    const host = await planted()
    await cutOff(host, 'c', after(/files\.remove .*intent\.json/))
    expect(await host.files.list(nodePaths.journal)).not.toEqual([])
    expect(await updatesOn(host).interrupted()).toBeUndefined()
    expect(await host.files.look(nodePaths.journal)).toBeUndefined()
  })
})
