import { describe, expect, it } from 'vitest'
import type { HostFiles } from '../../../../src/daemon/host/host.ts'
import { MemoryHost } from '../../../../src/daemon/host/memory/memory-host.ts'
import { treeOf } from '../../../../src/daemon/apply/machine.fixture.ts'
import { faultyHost, Faults } from '../../../../src/daemon/host/faults.fixture.ts'
import { bundle } from './certificates.ts'
import type { Given } from './trial.ts'
import { Trial } from './trial.ts'

/* Every operation of a delivery of all items fails once: the other items are delivered anyway, and the failed one after it. */

const secret = '{"auths":{"host":{"auth":"canary"}}}'

describe('an operation that fails once', () => {
  it.each([
    ['EIO', 1],
    ['ENOSPC', 6],
    ['EROFS', 7],
  ])('with %s does not delay other items', async (code, step) => {
    const { expected, operations } = await undisturbed()
    expect(operations).toBeGreaterThan(50)
    const problems: string[] = []
    for (let at = 1; at <= operations; at += step) {
      const machine = await before()
      const faults = new Faults({ at, fail: code })
      const trial = await deliver(faultyHost(machine, faults, ['files']).files)
      const behind = trial.states().filter((state) => !state.endsWith(' Current'))
      const where = `${code} at ${at}, ${faults.operations.at(-1)}`
      if (behind.length > 1) problems.push(`${where}: ${behind.join('; ')}`)
      if (behind.some((state) => !isClear(state, code))) problems.push(`${where}: ${behind[0]}`)
      // Only the failed item is retried, with its own back-off.
      await trial.settle(600_000)
      const left = trial.states().filter((state) => !state.endsWith(' Current'))
      const tree = await trustTree(machine)
      if (left.length > 0 || tree !== expected) problems.push(`${where} is never repaired`)
    }
    expect(problems).toEqual([])
  })
})

describe('a disk that has become read-only', () => {
  it('is reported for every item with path and cause, and retried with back-off', async () => {
    const machine = await before()
    const writes = (name: string): boolean => /files\.(write|remove|makeDirectory)/.test(name)
    const broken = new Faults({ at: 1, fail: 'EROFS', always: true, only: writes })
    const trial = await deliver(faultyHost(machine, broken, ['files']).files)
    expect(trial.states().map((state) => state.split(':')[0])).toEqual([
      'kubelet-client-ca Failed',
      'cloud-ca Failed',
      'registry-ca/changes Failed',
      'registry-ca/comes Failed',
      'registry-ca/goes Failed',
      'registry-pull-secret Failed',
    ])
    expect(trial.states()[0]).toContain('/etc/kubernetes/kubelet-ca.crt: EROFS')
    const reads = trial.config.reads
    await trial.settle(3_600_000)
    // From 5 seconds to about 5 minutes, not once a second.
    expect(trial.config.reads - reads).toBeLessThan(25)
  })
})

const isClear = (state: string, code: string): boolean =>
  /\/[a-z]+/.test(state) && state.includes(code)

async function undisturbed(): Promise<{ expected: string; operations: number }> {
  const machine = await before()
  const faults = new Faults()
  const trial = await deliver(faultyHost(machine, faults, ['files']).files)
  expect(trial.states().every((state) => state.endsWith(' Current'))).toBe(true)
  return { expected: await trustTree(machine), operations: faults.count }
}

async function before(): Promise<MemoryHost> {
  const machine = new MemoryHost()
  const trial = await Trial.open({ files: machine.files })
  const a = await bundle('a')
  trial.config.give({ kubelet: a, cloud: a, registries: { changes: a, goes: a }, pullSecret: '{}' })
  await trial.settle()
  return machine
}

/** Runs only the first attempt. */
async function deliver(files: HostFiles): Promise<Trial> {
  const b = await bundle('a', 'b')
  const given: Given = {
    kubelet: b,
    cloud: b,
    registries: { changes: b, comes: await bundle('c') },
    pullSecret: secret,
  }
  const trial = await Trial.open({ files })
  trial.config.give(given)
  const rest = await trial.once()
  if (trial.reports.length === 0) await trial.clock.advance(Number(rest))
  if (trial.reports.length === 0) await trial.once()
  return trial
}

async function trustTree({ files }: MemoryHost): Promise<string> {
  const lines = await treeOf(files)
  return lines.filter((line) => !line.includes('machine-config-daemon')).join('\n')
}
