import { readFileSync } from 'node:fs'
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as immediately } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { nodePaths } from '../../../../src/api/node-paths.ts'
import type { Update } from '../../../../src/daemon/apply/update.ts'
import type { Disk } from '../../../../src/daemon/host/files/disk.ts'
import { realDisk } from '../../../../src/daemon/host/files/disk.ts'
import type { Host, HostFiles } from '../../../../src/daemon/host/host.ts'
import { MemoryHost } from '../../../../src/daemon/host/memory/memory-host.ts'
import { openSandbox } from '../../../../src/daemon/host/sandbox/sandbox.ts'
import { machineConfig, spec } from '../../../../src/planner/configs.fixture.ts'
import { faultyHost, Faults } from '../../../../src/daemon/host/faults.fixture.ts'
import { cas, DeliveryCluster, DeliveryNode, path, Sampler } from './delivery-cluster.ts'

const root = { uid: 0, gid: 0 }
const intent = `${nodePaths.journal}/intent.json.gz`
const nothing = machineConfig('nothing', spec({ files: [] }))

async function joined(host: Host, letters: string): Promise<void> {
  for (const directory of ['/etc/kubernetes', nodePaths.state]) {
    await host.files.makeDirectory(directory, { mode: 0o755, ...root })
  }
  const put = (at: string, text: string): Promise<void> =>
    host.files.write(at, { content: Buffer.from(text), mode: 0o644, ...root })
  await put(path, await cas(letters))
  await put(nodePaths.currentConfig, JSON.stringify(nothing))
}

/** Calls `look` before and after every system call. */
function sampled(disk: Disk, look: () => void): Disk {
  return new Proxy(disk, {
    get(target, key) {
      const call: unknown = Reflect.get(target, key)
      if (typeof call !== 'function') return call
      return async (...args: unknown[]) => {
        look()
        try {
          return await (Reflect.apply(call, target, args) as Promise<unknown>)
        } finally {
          look()
        }
      }
    },
  })
}

interface SampledCluster extends AsyncDisposable {
  readonly host: Host
  readonly cluster: DeliveryCluster
  readonly sampler: Sampler
}

/** A machine on real files that starts with the CA `a`. */
async function sampledCluster(): Promise<SampledCluster> {
  const directory = await mkdtempDisposable(join(tmpdir(), 'machinist-delivery-'))
  const sampler = await new Sampler().know('a', 'b', 'c')
  const look = (): void => {
    let content: string | undefined
    try {
      content = readFileSync(join(directory.path, path), 'utf8')
    } catch {
      // The file does not exist.
    }
    if (content !== undefined || sampler.seen.length > 0) sampler.sample(content)
  }
  const options = { root: directory.path, clock: new VirtualClock(), plainLinks: true }
  const host = await openSandbox({ ...options, disk: sampled(realDisk, look) })
  await joined(host, 'a')
  const cluster = new DeliveryCluster()
  await cluster.setDesired('a', 'rendered')
  return { host, cluster, sampler, [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose]() }
}

const read = async ({ host, sampler }: SampledCluster): Promise<string> =>
  sampler.lettersOf(Buffer.from(await host.files.read(path)).toString())

describe('a change of the delivery', () => {
  it('and back keeps every CA', async () => {
    await using made = await sampledCluster()
    const { cluster, host, sampler } = made
    const node = await DeliveryNode.start(cluster, host)
    await node.trust()
    expect(await node.roll(await cluster.render())).toBe('applied')
    await cluster.setDesired('ab')
    await node.trust()
    expect([await read(made), await node.drift()]).toEqual(['a', []])
    expect(await node.roll(await cluster.render())).toBe('applied')
    expect(await read(made)).toBe('ab')

    await cluster.setDesired('ab', 'direct')
    await node.trust()
    expect(await node.roll(await cluster.render())).toBe('applied')
    await cluster.setDesired('abc')
    await node.trust()
    expect([await read(made), await node.drift()]).toEqual(['abc', []])

    await cluster.setDesired('abc', 'rendered')
    await node.trust()
    expect(await node.roll(await cluster.render())).toBe('applied')
    expect(await node.drift()).toEqual([])
    expect(sampler.seen).toEqual(['a', 'ab', 'abc'])
  })

  it('in a paused pool keeps its config and the CAs that were delivered directly', async () => {
    await using made = await sampledCluster()
    const { cluster, host, sampler } = made
    const node = await DeliveryNode.start(cluster, host)
    await node.trust()
    await node.roll(await cluster.render())
    await cluster.setDesired('ab', 'direct')
    await node.trust()
    expect([await read(made), await node.drift()]).toEqual(['ab', []])
    // Back to rendered delivery: the paused pool still has an old config.
    await cluster.setDesired('ab', 'rendered')
    await node.trust()
    expect([await read(made), await node.drift()]).toEqual(['ab', []])
    await cluster.setDesired('abc', 'rendered')
    await node.trust()
    expect([await read(made), await node.drift()]).toEqual(['ab', []])
    expect(await node.roll(await cluster.render())).toBe('applied')
    expect([await read(made), await node.drift()]).toEqual(['abc', []])
    expect(sampler.seen).toEqual(['a', 'ab', 'abc'])
  })

  it('keeps every CA when old configs are applied late, in any order', async () => {
    await using made = await sampledCluster()
    const { cluster, host, sampler } = made
    const node = await DeliveryNode.start(cluster, host)
    const first = await cluster.render()
    await cluster.setDesired('ab')
    const second = await cluster.render()
    await cluster.setDesired('ab', 'direct')
    const without = await cluster.render()
    await cluster.setDesired('abc', 'direct')
    await node.trust()
    for (const each of [first, without, second, first]) {
      expect([await node.roll(each), await read(made), await node.drift()]).toEqual([
        'applied',
        'abc',
        [],
      ])
    }
    await cluster.setDesired('abc', 'rendered')
    await node.trust()
    for (const each of [second, without, first]) {
      expect([await node.roll(each), await read(made), await node.drift()]).toEqual([
        'applied',
        'abc',
        [],
      ])
    }
    expect(sampler.seen).toEqual(['a', 'abc'])
  })

  it('keeps every CA on a node that was off meanwhile', async () => {
    await using made = await sampledCluster()
    const { cluster, host, sampler } = made
    const before = await DeliveryNode.start(cluster, host)
    await before.trust()
    await before.roll(await cluster.render())
    await cluster.setDesired('ab', 'direct')
    await cluster.setDesired('abc', 'rendered')
    const late = await cluster.render()
    await cluster.setDesired('abc', 'direct')
    const after = await DeliveryNode.start(cluster, host)
    // The node applies a config of the previous delivery first.
    expect(await after.roll(late)).toBe('applied')
    await after.trust()
    expect([await read(made), await after.drift()]).toEqual(['abc', []])
    expect(sampler.losses).toEqual([])
  })

  it('after an update was planned keeps every CA when it runs', async () => {
    await using made = await sampledCluster()
    const { cluster, host, sampler } = made
    const node = await DeliveryNode.start(cluster, host)
    await cluster.setDesired('ab')
    await node.trust()
    const update = await node.planTo(await cluster.render())
    expect(update.plan.steps).toContainEqual({ do: 'write-file', path })
    await cluster.setDesired('abc', 'direct')
    await node.trust()
    expect((await node.run(update)).type).toBe('applied')
    expect([await read(made), await node.drift()]).toEqual(['abc', []])
    expect(sampler.seen).toEqual(['a', 'abc'])
  })

  it('keeps every CA when an update is rolled back', async () => {
    await using made = await sampledCluster()
    const { cluster, host, sampler } = made
    const node = await DeliveryNode.start(cluster, host)
    await cluster.setDesired('ab')
    await node.trust()
    const update = await node.planTo(await cluster.render())
    const fails = new Faults({
      at: 1,
      fail: 'EIO',
      only: (name) => name === 'files.write /etc/motd',
    })
    const broken = await DeliveryNode.start(cluster, faultyHost(host, fails))
    await broken.trust()
    const outcome = await broken.run(update)
    expect(outcome).toMatchObject({ type: 'rolledBack' })
    expect((await node.current()).metadata.name).toBe('nothing')
    expect(await node.drift()).toEqual([])
    expect(sampler.losses).toEqual([])
  })

  it('keeps every CA when the daemon is killed at any point of an update', async () => {
    // The writes are the intent, the bundle, the other file and the config; then the journal is removed.
    for (const at of [1, 2, 3, 4]) {
      await using made = await sampledCluster()
      const { cluster, host, sampler } = made
      await cluster.setDesired('ab')
      const rendered = await cluster.render()
      const isWrite = (name: string): boolean => name.startsWith('files.write')
      const die = at % 2 ? 'after' : 'before'
      const faults = new Faults({ at, die, by: 'freeze', only: isWrite })
      const killed = await DeliveryNode.start(cluster, faultyHost(host, faults))
      const update = await killed.planTo(rendered)
      const how = await Promise.race([killed.run(update), faults.died.then(() => 'killed')])
      await cluster.setDesired('abc', 'direct')
      const next = await DeliveryNode.start(cluster, host)
      await next.trust()
      if (await host.files.stat(intent)) await next.resume()
      await next.trust()
      expect([how, await read(made), await next.drift()]).toEqual(['killed', 'abc', []])
      expect(sampler.losses).toEqual([])
    }
  })

  /** A machine in memory where `come` starts when a file is read or written. */
  async function interrupted(
    when: (call: string, at: unknown) => boolean,
    come: (node: DeliveryNode, update: Update) => Promise<unknown>,
    work: (node: DeliveryNode, update: Update) => Promise<unknown>,
  ): Promise<string> {
    const host = new MemoryHost()
    await joined(host, 'a')
    const cluster = new DeliveryCluster()
    let isArmed = false
    let other: Promise<unknown> | undefined
    const files = new Proxy<HostFiles>(host.files, {
      get(target, key) {
        const call = Reflect.get(target, key) as (...args: unknown[]) => Promise<unknown>
        return async (...args: unknown[]) => {
          const result = await Reflect.apply(call, target, args)
          if (isArmed && when(String(key), args[0])) {
            isArmed = false
            other = come(node, update)
            for (let turn = 0; turn < 10; turn++) await immediately()
          }
          return result
        }
      },
    })
    const { units, accounts, os, power, images } = host
    const node = await DeliveryNode.start(cluster, { files, units, accounts, os, power, images })
    await cluster.setDesired('ab', 'rendered')
    await node.trust()
    const update = await node.planTo(await cluster.render())
    await cluster.setDesired('abc', 'direct')
    isArmed = true
    await work(node, update)
    await other
    const sampler = await new Sampler().know('a', 'b', 'c')
    return sampler.lettersOf(Buffer.from(await host.files.read(path)).toString())
  }

  const trusts = (node: DeliveryNode): Promise<unknown> => node.trust()
  const updates = (node: DeliveryNode, update: Update): Promise<unknown> => node.run(update)

  it('at the moment when a config is about to write keeps every CA', async () => {
    let isBegun = false
    const when = (call: string, at: unknown): boolean => {
      isBegun ||= call === 'write' && at === intent
      return isBegun && call === 'read' && at === path
    }
    expect(await interrupted(when, trusts, updates)).toBe('abc')
  })

  it('at the moment when the trust lane has written keeps every CA', async () => {
    const when = (call: string, at: unknown): boolean => call === 'write' && at === path
    expect(await interrupted(when, updates, trusts)).toBe('abc')
  })
})

describe('any sequence of events', () => {
  const event = fc.oneof(
    fc.constant('grow' as const),
    fc.constant('trust' as const),
    fc.constant('render' as const),
    fc.constant('restart' as const),
    fc.constantFrom('direct' as const, 'rendered' as const),
    fc.record({ roll: fc.nat(20) }),
    fc.record({ fail: fc.nat(20), at: fc.integer({ min: 1, max: 12 }) }),
  )

  it('loses no CA, reports no drift, and ends in the desired state', async () => {
    const letters = 'abcdefgh'
    const known = await new Sampler().know(...letters.split(''))
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 25 }), async (events) => {
        const host = new MemoryHost()
        await joined(host, 'a')
        const cluster = new DeliveryCluster()
        await cluster.setDesired('a', 'rendered')
        await cluster.render()
        let [size, delivery]: [number, 'direct' | 'rendered'] = [1, 'rendered']
        let before = 'a'
        const outcomes = new Set(['applied'])
        const look = async (): Promise<void> => {
          const entry = await host.files.stat(path)
          const content = entry && Buffer.from(await host.files.read(path)).toString()
          const now = known.lettersOf(content)
          expect([before, now, before.split('').every((each) => now.includes(each))]).toEqual([
            before,
            now,
            true,
          ])
          before = now
        }
        let node = await DeliveryNode.start(cluster, host)
        for (const each of events) {
          const pick = (index: number) => cluster.rendered[index % cluster.rendered.length]!
          if (each === 'grow')
            await cluster.setDesired(letters.slice(0, (size = Math.min(size + 1, 8))))
          else if (each === 'trust') await node.trust()
          else if (each === 'render') await cluster.render()
          else if (each === 'restart') node = await DeliveryNode.start(cluster, host)
          else if (typeof each === 'string') {
            delivery = each
            await cluster.setDesired(letters.slice(0, size), delivery)
          } else if ('roll' in each) outcomes.add(await node.roll(pick(each.roll)))
          else {
            const faults = new Faults({
              at: each.at,
              fail: 'EIO',
              only: (name) => /write/.test(name),
            })
            const shaky = await DeliveryNode.start(cluster, faultyHost(host, faults))
            const { type } = await shaky.run(await shaky.planTo(pick(each.fail)))
            if (type === 'stuck') await node.resume()
          }
          await look()
        }
        await node.trust()
        expect([await node.drift(), ...outcomes]).toEqual([[], 'applied'])
        await node.roll(await cluster.render())
        await node.trust()
        await look()
        expect([before, await node.drift()]).toEqual([letters.slice(0, size), []])
      }),
      { numRuns: 40 },
    )
  })
})
