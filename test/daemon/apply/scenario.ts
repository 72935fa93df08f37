import type { MachineConfig } from '../../../src/api/resources.ts'
import type { File } from '../../../src/ignition/config.ts'
import type { Step } from '../../../src/planner/update-plan.ts'
import type { Rules } from '../../../src/planner/plan-input.ts'
import type { Outcome, Update } from '../../../src/daemon/apply/update.ts'
import type { SimulatedMachine } from '../../../src/daemon/host/simulated/simulated-machine.ts'
import { plan } from '../../../src/planner/plan.ts'
import { mergePolicies } from '../../../src/planner/policy/merge.ts'
import type { Parts } from '../../planner/configs.ts'
import { facts, file, machineConfig, spec } from '../../planner/configs.ts'
import { plainRun, updatesOn } from './machine.ts'

/** Two configs between which everything changes that a node can change, and the machine on which they meet. */

const unit = (description: string, wantedBy: string): string =>
  `[Unit]\nDescription=${description}\n[Service]\nExecStart=/bin/true\n[Install]\nWantedBy=${wantedBy}\n`

const key = (name: string): string => `ssh-ed25519 AAAA${name} ${name}`

const partsOfA = {
  files: [
    file('/etc/app/changed', 'one'),
    file('/etc/app/removed', 'goes'),
    file('/etc/mode-only', 'same'),
    file('/etc/shipped.conf', 'ours'),
    file('/etc/service.conf', 'one'),
  ],
  units: [
    { name: 'changed.service', enabled: true, contents: unit('one', 'multi-user.target') },
    { name: 'gone.service', enabled: true, contents: unit('gone', 'default.target') },
    { name: 'chronyd.service', mask: true },
    { name: 'crio.service', dropins: [{ name: '10-old.conf', contents: '[Service]\nNice=1\n' }] },
  ],
  users: [{ name: 'core', sshAuthorizedKeys: [key('first')], passwordHash: '$6$first' }],
}

const partsOfB = {
  files: [
    file('/etc/app/changed', 'two'),
    file('/etc/added/deep/new', 'new'),
    { ...file('/etc/mode-only', 'same', 0o600), user: { id: 1000 }, group: { name: 'core' } },
    file('/etc/was-a-link', 'a file now'),
    file('/etc/service.conf', 'two'),
  ],
  units: [
    { name: 'changed.service', enabled: true, contents: unit('two', 'default.target') },
    { name: 'fresh.service', enabled: true, contents: unit('fresh', 'multi-user.target') },
    { name: 'chronyd.service', mask: false, enabled: true },
    { name: 'sshd.service', mask: true },
    { name: 'crio.service', dropins: [{ name: '20-new.conf', contents: '[Service]\nNice=2\n' }] },
  ],
  users: [{ name: 'core', sshAuthorizedKeys: [key('first'), key('second')], passwordHash: '$6$2' }],
}

/** Files that become directories and the other way round. The planner refuses that; the engine must bear it all the same. */
const swapped = {
  before: [file('/etc/becomes-file/inner', 'inside'), file('/etc/becomes-directory', 'a file')],
  after: [file('/etc/becomes-file', 'a file now'), file('/etc/becomes-directory/inner', 'inside')],
}

interface Scene {
  /** What the planner sees. */
  readonly planned: MachineConfig
  readonly whole: MachineConfig
  readonly swaps: readonly File[]
}

function scene(name: string, parts: Parts, swaps: readonly File[]): Scene {
  const files = [...(parts.files ?? []), ...swaps]
  return {
    planned: machineConfig(name, spec(parts)),
    whole: machineConfig(name, spec({ ...parts, files })),
    swaps,
  }
}

const firstOs = { osImageURL: 'machine-os.example/os:1', kernelArguments: ['quiet'] }
const secondOs = { osImageURL: 'machine-os.example/os:2', kernelArguments: ['nosmt'] }

const scenes = {
  empty: scene('mco-empty-mc', {}, []),
  a: scene('rendered-a', { ...partsOfA, ...firstOs }, swapped.before),
  /** With another operating system, so that the machine has to reboot. */
  b: scene('rendered-b', { ...partsOfB, ...secondOs }, swapped.after),
  /** As B, but services take everything over while the machine runs. */
  c: scene('rendered-c', { ...partsOfB, ...firstOs }, swapped.after),
} as const

export type SceneName = keyof typeof scenes

const actions = [
  { type: 'DaemonReload' as const },
  { type: 'Restart' as const, restart: { serviceName: 'changed.service' } },
  { type: 'Reload' as const, reload: { serviceName: 'crio.service' } },
]

const rules: Rules = {
  policies: mergePolicies({
    files: [{ path: '/etc', actions }],
    units: ['changed', 'gone', 'fresh', 'chronyd', 'sshd', 'crio'].map((name) => ({
      name: `${name}.service`,
      actions: [{ type: 'None' as const }],
    })),
    sshkey: { actions: [{ type: 'None' }] },
  }),
}

export function updateOf(from: SceneName, to: SceneName): Update {
  const [current, desired] = [scenes[from], scenes[to]]
  const { steps, ...rest } = plan({
    current: current.planned,
    desired: desired.planned,
    rules,
    facts,
  })
  const kept = new Set(desired.swaps.map(({ path }) => path))
  const going = current.swaps.filter(({ path }) => !kept.has(path))
  const swaps: Step[] = [
    ...desired.swaps.map(({ path }): Step => ({ do: 'write-file', path })),
    ...going.map(({ path }): Step => ({ do: 'remove-file', path })),
  ]
  return {
    plan: { ...rest, steps: [...swaps, ...steps] },
    current: current.whole,
    desired: desired.whole,
  }
}

/** Gives a new machine files of its own that are in the way, and brings it into config A. */
export async function plantScene(machine: SimulatedMachine): Promise<void> {
  const { files, units } = machine
  const root = { uid: 0, gid: 0 }
  const shipped = { content: Buffer.from('shipped by the OS'), mode: 0o640, uid: 0, gid: 10 }
  await files.write('/etc/shipped.conf', shipped)
  await files.link('/etc/was-a-link', 'shipped.conf')
  await files.makeDirectory('/etc/kubernetes', { mode: 0o755, ...root })
  const token = { content: Buffer.from('token'), mode: 0o644, ...root }
  await files.write('/etc/kubernetes/kubeconfig', token)
  await units.preset(['chronyd.service', 'crio.service', 'sshd.service'])
  const outcome = await carryOut(machine, () =>
    updatesOn(machine).run(updateOf('empty', 'a'), plainRun()),
  )
  if (outcome.is !== 'applied') throw new Error(`it was not applied: ${JSON.stringify(outcome)}`)
}

/** Goes on until there is nothing to go on with, booting the machine as often as it wants. */
export async function carryOut(
  machine: SimulatedMachine,
  begin: () => Promise<Outcome>,
): Promise<Outcome> {
  let outcome = await begin()
  for (let rounds = 0; outcome.is === 'rebooting' || outcome.is === 'parked'; rounds++) {
    if (rounds > 5) throw new Error('it never comes to an end')
    if (outcome.is === 'rebooting') await machine.boot()
    outcome = await updatesOn(machine).resume(plainRun())
  }
  return outcome
}
