import type { Rules } from '../../planner/plan-input.ts'
import type { Outcome, Update } from './update.ts'
import type { SimulatedMachine } from '../host/simulated/simulated-machine.ts'
import { plan } from '../../planner/plan.ts'
import { mergePolicies } from '../../api/disruption-policy/merge.ts'
import { facts, file, machineConfig, spec } from '../../planner/configs.fixture.ts'
import { plainRun, updatesOn } from './machine.fixture.ts'

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
    file('/etc/becomes-file/inner', 'inside'),
    file('/etc/becomes-directory', 'a file'),
  ],
  units: [
    { name: 'changed.service', enabled: true, contents: unit('one', 'multi-user.target') },
    { name: 'gone.service', enabled: true, contents: unit('gone', 'default.target') },
    { name: 'chronyd.service', mask: true },
    { name: 'masked.service', enabled: true, contents: unit('not yet', 'multi-user.target') },
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
    file('/etc/becomes-file', 'a file now'),
    file('/etc/becomes-directory/inner', 'inside'),
  ],
  units: [
    { name: 'changed.service', enabled: true, contents: unit('two', 'default.target') },
    { name: 'fresh.service', enabled: true, contents: unit('fresh', 'multi-user.target') },
    { name: 'chronyd.service', mask: false, enabled: true },
    { name: 'sshd.service', mask: true },
    { name: 'masked.service', mask: true },
    { name: 'crio.service', dropins: [{ name: '20-new.conf', contents: '[Service]\nNice=2\n' }] },
  ],
  users: [{ name: 'core', sshAuthorizedKeys: [key('first'), key('second')], passwordHash: '$6$2' }],
}

const firstOs = { osImageURL: 'machine-os.example/os:1', kernelArguments: ['quiet'] }
const secondOs = { osImageURL: 'machine-os.example/os:2', kernelArguments: ['nosmt'] }

const scenes = {
  empty: machineConfig('mco-empty-mc', spec({})),
  a: machineConfig('rendered-a', spec({ ...partsOfA, ...firstOs })),
  /** With another operating system, so that the machine has to reboot. */
  b: machineConfig('rendered-b', spec({ ...partsOfB, ...secondOs })),
  /** As B, but services take everything over while the machine runs. */
  c: machineConfig('rendered-c', spec({ ...partsOfB, ...firstOs })),
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
    units: ['changed', 'gone', 'fresh', 'masked', 'chronyd', 'sshd', 'crio'].map((name) => ({
      name: `${name}.service`,
      actions: [{ type: 'None' as const }],
    })),
    sshkey: { actions: [{ type: 'None' }] },
  }),
}

/** Planned once, however often it is carried out. */
export function updateOf(from: SceneName, to: SceneName): Update {
  const key = `${from} ${to}`
  const known = planned.get(key)
  if (known) return known
  const [current, desired] = [scenes[from], scenes[to]]
  const update = { plan: plan({ current, desired, rules, facts }), current, desired }
  planned.set(key, update)
  return update
}

const planned = new Map<string, Update>()

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
