import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { File, Unit } from '@machinist/ignition/spec/config'
import type { MachineConfig } from '../../../../src/api/kinds/resources.ts'
import type { UpdateOutcome, Update } from '../../../../src/daemon/apply/update.ts'
import type { Host } from '../../../../src/daemon/host/host.ts'
import { MemoryHost } from '../../../../src/daemon/host/memory/memory-host.ts'
import { plan } from '../../../../src/planner/plan.ts'
import type { Parts } from '../../../../src/planner/configs.fixture.ts'
import {
  defaultRules,
  facts,
  file,
  machineConfig,
  spec,
} from '../../../../src/planner/configs.fixture.ts'
import type { Fault } from '../../../../src/daemon/host/faults.fixture.ts'
import { faultyHost, Faults } from '../../../../src/daemon/host/faults.fixture.ts'
import { testRun, treeOf, createUpdates } from '../../../../src/daemon/apply/machine.fixture.ts'
import { runToEnd } from '../../../../src/daemon/apply/scenario.fixture.ts'
import { diffTrees } from './crash-points.ts'

/** Returning to a config restores the same machine, whatever happened in between. */

const paths = [
  '/etc/a',
  '/etc/deep/er/b',
  '/etc/deep/c',
  '/opt/new/d',
  '/etc/shipped',
  '/etc/link',
  // Paths that are a directory in one config and a file in another.
  '/etc/deep',
  '/etc/deep/er',
  '/etc/a/below',
  '/opt/new',
]

const isBelow = (path: string, other: string): boolean => path.startsWith(`${other}/`)

const files = fc
  .uniqueArray(
    fc
      .record({
        path: fc.constantFrom(...paths),
        content: fc.constantFrom('', 'one', 'two', 'x'.repeat(5000)),
        mode: fc.constantFrom(0o644, 0o600, 0o755),
        owner: fc.constantFrom({}, { user: { id: 1000 } }, { group: { name: 'core' } }),
      })
      .map(({ path, content, mode, owner }): File =>
        Object.assign(file(path, content, mode), owner),
      ),
    { selector: ({ path }) => path, maxLength: 6 },
  )
  // Within one config, no file is below another.
  .map((some) => some.filter(({ path }) => !some.some((other) => isBelow(path, other.path))))

const unitText = fc
  .constantFrom('multi-user.target', 'default.target')
  .map((target) => `[Service]\nExecStart=/bin/true\n[Install]\nWantedBy=${target}\n`)

const dropins = fc.uniqueArray(
  fc.record({
    name: fc.constantFrom('10-a.conf', '20-b.conf'),
    contents: fc.constantFrom('', '[Service]\nNice=1\n', '[Service]\nNice=2\n'),
  }),
  { selector: ({ name }) => name, maxLength: 2 },
)

const optional = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(value, { nil: undefined })

const vendorUnits = ['chronyd.service', 'crio.service', 'sshd.service'] as const

/** The state of a unit in one config: new, overriding a unit of the OS, masked, enabled or disabled. */
const unit = (name: string): fc.Arbitrary<Unit | undefined> =>
  optional(
    fc.record({
      name: fc.constant(name),
      contents: name === 'own.service' ? unitText : optional(unitText),
      enabled: optional(fc.boolean()),
      mask: optional(fc.boolean()),
      dropins,
    }),
  ).map((some) => some && withoutUndefined(some))

const units = fc
  .tuple(...['own.service', ...vendorUnits].map(unit))
  .map((some) => some.filter((one) => one !== undefined))

const someone = fc
  .record({
    keys: fc.uniqueArray(fc.constantFrom('ssh-rsa A', 'ssh-rsa B', 'ssh-rsa C')),
    hash: optional(fc.constantFrom('$6$one', '$6$two')),
  })
  .filter(({ keys, hash }) => keys.length > 0 || hash !== undefined)
  .map(({ keys, hash }) => [
    withoutUndefined({ name: 'core', sshAuthorizedKeys: keys, passwordHash: hash }),
  ])

const users = fc.oneof({ weight: 3, arbitrary: someone }, fc.constant([]))

const parts: fc.Arbitrary<Parts> = fc.record({
  files,
  units,
  users,
  osImageURL: fc.constantFrom('machine-os.example/os:1', 'machine-os.example/os:2'),
  kernelArguments: fc.subarray(['quiet', 'nosmt', 'a=1', 'a=2']),
  kernelType: fc.constantFrom('default', 'realtime'),
  extensions: fc.subarray(['usbguard', 'kerberos']),
})

const accident = fc.record({
  at: fc.integer({ min: 1, max: 400 }),
  how: fc.constantFrom('none', 'fail', 'before', 'after'),
})

describe('a config, another one, and the first again', () => {
  it('restores the machine byte for byte, whatever fails or is interrupted in between', async () => {
    await fc.assert(
      fc.asyncProperty(
        parts,
        parts,
        fc.array(accident, { maxLength: 3 }),
        async (a, b, accidents) => {
          const [one, two] = [machineConfig('one', spec(a)), machineConfig('two', spec(b))]
          const machine = await newMachine()
          expect(await apply(machine, machineConfig('none', spec({})), one)).toEqual({
            type: 'applied',
          })
          const first = await treeOf(machine.files)
          for (const { at, how } of accidents) {
            await disturbed(machine, one, two, faultOf(at, how))
            const now = await treeOf(machine.files)
            if (diffTrees(now, first).length > 0) await apply(machine, two, one)
            expect(diffTrees(await treeOf(machine.files), first)).toEqual([])
          }
          expect(await apply(machine, one, two)).toEqual({ type: 'applied' })
          expect(await apply(machine, two, one)).toEqual({ type: 'applied' })
          expect(diffTrees(await treeOf(machine.files), first)).toEqual([])
        },
      ),
      { numRuns: Number(process.env['PROPERTY_RUNS'] ?? 80) },
    )
  }, 600_000)

  it('does exactly what the plan contains', async () => {
    await fc.assert(
      fc.asyncProperty(parts, parts, async (a, b) => {
        const [one, two] = [machineConfig('one', spec(a)), machineConfig('two', spec(b))]
        const machine = await newMachine()
        await apply(machine, machineConfig('none', spec({})), one)
        const before = await treeOf(machine.files)
        const update = updateFrom(one, two)
        await apply(machine, one, two)
        const touched = diffTrees(await treeOf(machine.files), before)
          .map(pathIn)
          .filter(isFile)
        const named = update.plan.steps.flatMap((step) => ('path' in step ? [step.path] : []))
        const files = touched.filter((path) => paths.includes(path))
        expect(named).toEqual(expect.arrayContaining(files))
      }),
      { numRuns: 60 },
    )
  }, 600_000)
})

async function newMachine(): Promise<MemoryHost> {
  const machine = new MemoryHost()
  const shipped = { content: Buffer.from('shipped'), mode: 0o640, uid: 0, gid: 10 }
  await machine.files.write('/etc/shipped', shipped)
  await machine.files.link('/etc/link', 'shipped')
  await machine.units.preset(vendorUnits)
  return machine
}

const updateFrom = (current: MachineConfig, desired: MachineConfig): Update => ({
  plan: plan({ current, desired, rules: defaultRules, facts }),
  current,
  desired,
})

function apply(
  machine: MemoryHost,
  current: MachineConfig,
  desired: MachineConfig,
  host: Host = machine,
): Promise<UpdateOutcome> {
  return runToEnd(machine, () => createUpdates(host).run(updateFrom(current, desired), testRun()))
}

const faultOf = (at: number, how: string): Fault | undefined => {
  if (how === 'none') return undefined
  if (how === 'fail') return { at, fail: 'EIO' }
  return { at, die: how === 'after' ? 'after' : 'before', by: 'freeze' }
}

/** Runs an update with a fault, and lets the next daemon recover. */
async function disturbed(
  machine: MemoryHost,
  current: MachineConfig,
  desired: MachineConfig,
  fault: Fault | undefined,
): Promise<void> {
  const faults = new Faults(fault)
  const host = faultyHost(machine, faults)
  const done = createUpdates(host).run(updateFrom(current, desired), testRun())
  await Promise.race([done.catch(() => {}), faults.died])
  const updates = createUpdates(machine)
  if (await updates.interrupted()) {
    await runToEnd(machine, async () => {
      if (await machine.power.isDown()) await machine.boot()
      return updates.resume(testRun())
    })
  }
  expect(await createUpdates(machine).interrupted()).toBeUndefined()
}

const pathIn = (line: string): string => line.slice(2).split(' ')[0]!

const isFile = (path: string): boolean => !path.endsWith('/')

const withoutUndefined = <T extends object>(value: T): { [K in keyof T]: NonNullable<T[K]> } =>
  Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined)) as {
    [K in keyof T]: NonNullable<T[K]>
  }
