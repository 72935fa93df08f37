import { describe, expect, it } from 'vitest'
import { messageOf } from '@machinist/core/errors'
import { createLogger } from '@machinist/core/log'
import { nodePaths } from '../../../api/node-paths.ts'
import { testRun, quickClock, treeOf, createUpdates } from '../machine.fixture.ts'
import { runToEnd, seedScenario, updateOf } from '../scenario.fixture.ts'
import { apply, updateBetween } from '../update-between.fixture.ts'
import type { Death } from '../../host/faults.fixture.ts'
import { faultyHost, Faults } from '../../host/faults.fixture.ts'
import { defaultRules, facts, file } from '../../../planner/configs.fixture.ts'
import { plan } from '../../../planner/plan.ts'
import type { HostFiles, NewFile } from '../../host/host.ts'
import { MemoryHost } from '../../host/memory/memory-host.ts'
import type { UpdateOutcome, UpdatePhase, UpdateRun } from '../update.ts'

async function seededHost(): Promise<MemoryHost> {
  const host = new MemoryHost()
  await seedScenario(host)
  host.actions.length = 0
  return host
}

const errorIn = (outcome: UpdateOutcome): string =>
  outcome.type === 'rolledBack' ? messageOf(outcome.error) : `it is ${outcome.type}`

/** Runs the update until the fault freezes it. */
async function interruptRun(host: MemoryHost, to: 'b' | 'c', fault: Death): Promise<void> {
  const faults = new Faults({ ...fault, by: 'freeze' })
  const run = createUpdates(faultyHost(host, faults)).run(updateOf('a', to), testRun())
  await Promise.race([run, faults.died])
}

const before = (operation: RegExp): Death => ({
  at: 1,
  die: 'before',
  only: (name) => operation.test(name),
})

const after = (operation: RegExp): Death => ({ ...before(operation), die: 'after' })

describe('an update', () => {
  it('reports its phases, runs the actions in order, and is verified', async () => {
    const host = await seededHost()
    const phases: UpdatePhase[] = []
    const run: UpdateRun = { ...testRun(), progress: (phase) => phases.push(phase) }
    expect(await createUpdates(host).run(updateOf('a', 'c'), run)).toEqual({ type: 'applied' })
    expect(phases).toEqual(['files', 'units', 'actions'])
    expect(host.actions).toEqual([
      { type: 'daemon-reload' },
      { type: 'restart', unit: 'changed.service' },
      { type: 'reload', unit: 'crio.service' },
    ])
  })

  it('reboots with a reason, and the next daemon finishes it', async () => {
    const host = await seededHost()
    const phases: UpdatePhase[] = []
    const run: UpdateRun = { ...testRun(), progress: (phase) => phases.push(phase) }
    const outcome = await createUpdates(host).run(updateOf('a', 'b'), run)
    const reason =
      'update to rendered-b: kernel arguments take effect at boot (add nosmt; remove quiet) and the OS image takes effect at boot'
    expect(outcome).toEqual({ type: 'rebooting', reason })
    expect(phases).toEqual(['files', 'units', 'os', 'actions', 'rebooting'])
    expect(await createUpdates(host).interrupted()).toMatchObject({
      rollingBack: false,
      reboot: { reason, happened: false },
    })
    await host.boot()
    expect(await createUpdates(host).interrupted()).toMatchObject({ reboot: { happened: true } })
    expect(await createUpdates(host).resume(testRun())).toEqual({ type: 'applied' })
    expect(await createUpdates(host).interrupted()).toBeUndefined()
  })

  it('stages and reboots again after the machine lost power during shutdown', async () => {
    const host = await seededHost()
    const { booted } = await host.os.state()
    await createUpdates(host).run(updateOf('a', 'b'), testRun())
    await host.os.stage(booted)
    await host.boot()
    const interrupted = await createUpdates(host).interrupted()
    expect(interrupted).toMatchObject({ rollingBack: false, reboot: { happened: false } })
    expect(await createUpdates(host).resume(testRun())).toMatchObject({ type: 'rebooting' })
    await host.boot()
    expect(await createUpdates(host).resume(testRun())).toEqual({ type: 'applied' })
  })

  it('with a plan that is not reconcilable is refused with all reasons', async () => {
    const host = await seededHost()
    const update = updateBetween({}, { files: [file('../a', 'x'), file('/dev/b', 'y')] })
    const outcome = await createUpdates(host).run(update, testRun())
    expect(outcome.type).toBe('rolledBack')
    expect(errorIn(outcome)).toContain('../a')
  })

  it('with a plan for another config is refused', async () => {
    const { plan, current } = updateBetween({}, {})
    const outcome = await createUpdates(new MemoryHost()).run(
      { plan, current, desired: current },
      testRun(),
    )
    expect(outcome).toMatchObject({
      type: 'rolledBack',
      error: { message: 'the plan leads to new, not to old' },
    })
  })

  it('without changes only verifies, and writes nothing', async () => {
    const host = new MemoryHost()
    const parts = { files: [file('/etc/a', 'one')] }
    await apply(host, {}, parts)
    const faults = new Faults()
    const update = updateBetween(parts, parts)
    const same = { ...update, plan: { ...update.plan, steps: [] } }
    const updates = createUpdates(faultyHost(host, faults))
    expect(await updates.run(same, testRun())).toEqual({ type: 'applied' })
    const changing = faults.operations.filter((name) => /\.(write|append|link|make)/.test(name))
    expect(changing).toEqual([])
    await host.files.write('/etc/a', { content: Buffer.from('two'), mode: 0o644, uid: 0, gid: 0 })
    expect(await updates.run(same, testRun())).toEqual({
      type: 'unverified',
      differences: [
        {
          kind: 'file',
          at: '/etc/a',
          what: 'has content sha256:3fc4ccfe7458, expected sha256:7692c3ad3540',
        },
      ],
    })
  })

  it('that is forced repairs every change of an administrator', async () => {
    const host = await seededHost()
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
    const outcome = await runToEnd(host, () => createUpdates(host).run(update, testRun()))
    expect(outcome).toEqual({ type: 'applied' })
    expect(await treeOf(host.files)).toEqual(tree)
  })

  it('is refused while another one is in progress', async () => {
    const host = await seededHost()
    await interruptRun(host, 'c', before(/files\.write \/etc\/app/))
    await expect(createUpdates(host).run(updateOf('a', 'c'), testRun())).rejects.toThrow(
      'another update is in progress',
    )
    await expect(createUpdates(new MemoryHost()).resume(testRun())).rejects.toThrow(
      'there is no update to resume',
    )
  })
})

describe('an update that fails', () => {
  it('is rolled back exactly, and services that read the new files are reloaded', async () => {
    const host = await seededHost()
    await host.units.setHealth('crio.service', false)
    const tree = await treeOf(host.files)
    const outcome = await createUpdates(host).run(updateOf('a', 'c'), testRun())
    expect(outcome).toMatchObject({
      type: 'rolledBack',
      error: { message: 'crio.service is not healthy 30 s after its reload' },
    })
    expect(await treeOf(host.files)).toEqual(tree)
    expect(host.actions.slice(3)).toEqual([
      { type: 'daemon-reload' },
      { type: 'restart', unit: 'changed.service' },
      { type: 'reload', unit: 'crio.service' },
    ])
  })

  it('and whose rollback fails is stuck, and is rolled back as soon as possible', async () => {
    const host = await seededHost()
    const tree = await treeOf(host.files)
    const isEnabling = (name: string): boolean => name.startsWith('units.enable ')
    const enabling = new Faults({ at: 1, fail: 'exit 1', only: isEnabling })
    const writing = new Faults({
      // The first write is the update, the second one the rollback.
      at: 2,
      fail: 'EROFS',
      always: true,
      only: (name) => name === 'files.write /etc/app/changed',
    })
    const failing = faultyHost(faultyHost(host, enabling), writing)
    expect(await createUpdates(failing).run(updateOf('a', 'c'), testRun())).toMatchObject({
      type: 'stuck',
      error: { code: 'exit 1' },
      rollbackError: { code: 'EROFS' },
    })
    expect(await createUpdates(host).interrupted()).toMatchObject({ rollingBack: true })
    expect(await createUpdates(failing).resume(testRun())).toMatchObject({ type: 'stuck' })
    const outcome = await createUpdates(host).resume(testRun())
    expect(errorIn(outcome)).toContain('units.enable changed.service')
    expect(await treeOf(host.files)).toEqual(tree)
  })

  it('shows no secrets in errors and logs', async () => {
    const host = await seededHost()
    await host.units.setHealth('changed.service', false)
    const lines: string[] = []
    const log = createLogger({ clock: quickClock(), write: (line) => lines.push(line) })
    const outcome = await createUpdates(host, log).run(updateOf('a', 'c'), testRun())
    const shown = JSON.stringify([lines, errorIn(outcome)])
    expect(lines.length).toBeGreaterThan(0)
    expect(shown).not.toMatch(/\$6\$|AAAAfirst|AAAAsecond|shipped by/)
  })

  it('before it began has changed nothing, even if its journal was partly written', async () => {
    const host = await seededHost()
    const tree = await treeOf(host.files)
    // A disk that renames the file and cannot flush the directory.
    const { units, accounts, os, power, images } = host
    const files = unflushable(host.files, /intent\.json\.gz$/)
    const updates = createUpdates({ files, units, accounts, os, power, images })
    const outcome = await updates.run(updateOf('a', 'c'), testRun())
    expect(outcome).toMatchObject({ type: 'rolledBack', error: { message: 'cannot flush' } })
    expect(await treeOf(host.files)).toEqual(tree)
    expect(await updates.interrupted()).toBeUndefined()
  })
})

/** Writes the file, and rejects. */
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

describe('an update that is stopped', () => {
  const stopAt = (
    operation: RegExp,
    host: MemoryHost,
  ): { host: ReturnType<typeof faultyHost>; run: UpdateRun } => {
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
    ['while it waits for a service', /units\.isHealthy/],
  ])('%s parks, and the next daemon continues it', async (_, operation) => {
    const host = await seededHost()
    const stopped = stopAt(operation, host)
    expect(await createUpdates(stopped.host).run(updateOf('a', 'c'), stopped.run)).toEqual({
      type: 'parked',
    })
    expect(await createUpdates(host).interrupted()).toMatchObject({ rollingBack: false })
    expect(await createUpdates(host).resume(testRun())).toEqual({ type: 'applied' })
  })

  it('before it began does not begin', async () => {
    const host = await seededHost()
    const signal = AbortSignal.abort()
    const outcome = await createUpdates(host).run(updateOf('a', 'c'), {
      progress: () => {},
      signal,
    })
    expect(outcome).toEqual({ type: 'parked' })
    expect(await createUpdates(host).interrupted()).toBeUndefined()
  })

  it('during the rollback parks as well', async () => {
    const host = await seededHost()
    const tree = await treeOf(host.files)
    await host.units.setHealth('changed.service', false)
    const stopped = stopAt(/files\.tidy/, host)
    expect(await createUpdates(stopped.host).run(updateOf('a', 'c'), stopped.run)).toEqual({
      type: 'parked',
    })
    expect(await createUpdates(host).interrupted()).toMatchObject({ rollingBack: true })
    expect(await createUpdates(host).resume(testRun())).toMatchObject({ type: 'rolledBack' })
    await host.units.setHealth('changed.service', true)
    expect(new Set(await treeOf(host.files)).isSupersetOf(new Set(tree))).toBe(true)
  })

  it('does not count as interrupted, however often it is stopped', async () => {
    const host = await seededHost()
    const first = stopAt(/files\.write \/etc\/app/, host)
    await createUpdates(first.host).run(updateOf('a', 'c'), first.run)
    for (let i = 0; i < 8; i++) {
      const signal = AbortSignal.abort()
      expect(await createUpdates(host).resume({ progress: () => {}, signal })).toEqual({
        type: 'parked',
      })
    }
    expect(await createUpdates(host).resume(testRun())).toEqual({ type: 'applied' })
  })
})

describe('a reboot', () => {
  it('that no update requested: the update continues', async () => {
    const host = await seededHost()
    await interruptRun(host, 'b', before(/files\.write .*currentconfig/))
    await host.boot()
    const outcome = await runToEnd(host, () => createUpdates(host).resume(testRun()))
    expect(outcome).toEqual({ type: 'applied' })
    expect((await host.os.state()).booted.image).toBe('machine-os.example/os:2')
  })

  it('that does not happen is requested again', async () => {
    const host = await seededHost()
    await createUpdates(host).run(updateOf('a', 'b'), testRun())
    const again = await createUpdates(host).resume(testRun())
    expect(again.type).toBe('rebooting')
    expect(host.actions.filter((action) => action.type === 'reboot')).toHaveLength(2)
    await host.boot()
    expect(await createUpdates(host).resume(testRun())).toEqual({ type: 'applied' })
  })

  it('into the new OS during a rollback: the machine reboots into the old one', async () => {
    const host = await seededHost()
    const tree = await treeOf(host.files)
    // The command fails, but the machine reboots.
    const only = (name: string): boolean => name.startsWith('power.reboot')
    const failing = faultyHost(host, new Faults({ at: 1, fail: 'timeout', only }), ['power'])
    const frozen = faultyHost(
      failing,
      new Faults({ at: 2, die: 'before', by: 'freeze', only: (name) => name === 'os.stage' }),
      ['os'],
    )
    void createUpdates(frozen).run(updateOf('a', 'b'), testRun())
    while (!(await createUpdates(host).interrupted())?.rollingBack) await new Promise(setImmediate)
    await host.boot()
    const first = await createUpdates(host).resume(testRun())
    expect(first).toMatchObject({ type: 'rebooting' })
    expect(await createUpdates(host).interrupted()).toMatchObject({
      rollingBack: true,
      reboot: { happened: false },
    })
    await host.boot()
    expect(await createUpdates(host).resume(testRun())).toMatchObject({ type: 'rolledBack' })
    expect(await treeOf(host.files)).toEqual(tree)
  })

  it('into another state is reported with every difference', async () => {
    const host = await seededHost()
    await createUpdates(host).run(updateOf('a', 'b'), testRun())
    await host.os.breakFinalization('no space left on /boot')
    await host.boot()
    expect(await createUpdates(host).interrupted()).toMatchObject({ reboot: { happened: true } })
    expect(await createUpdates(host).resume(testRun())).toEqual({
      type: 'unverified',
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

describe('an update that is interrupted repeatedly', () => {
  it('is rolled back after the sixth interruption', async () => {
    const host = await seededHost()
    const tree = await treeOf(host.files)
    await interruptRun(host, 'c', after(/files\.write \/etc\/app/))
    const outcomes: UpdateOutcome['type'][] = []
    for (let i = 0; i < 6; i++) {
      const faults = new Faults({
        at: 1,
        die: 'before',
        by: 'freeze',
        only: (name) => name.startsWith('units.preset'),
      })
      const outcome = await Promise.race([
        createUpdates(faultyHost(host, faults)).resume(testRun()),
        faults.died,
      ])
      if (outcome) outcomes.push(outcome.type)
    }
    expect(outcomes).toEqual(['rolledBack'])
    expect(await treeOf(host.files)).toEqual(tree)
  })

  it('leaves no files of a journal that was being ended', async () => {
    const host = await seededHost()
    await interruptRun(host, 'c', after(/files\.remove .*intent\.json/))
    expect(await host.files.list(nodePaths.journal)).not.toEqual([])
    expect(await createUpdates(host).interrupted()).toBeUndefined()
    expect(await host.files.stat(nodePaths.journal)).toBeUndefined()
  })
})
