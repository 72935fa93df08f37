import type { PlanRules } from '../../planner/model/plan-input.ts'
import type { SimulatedMachine } from '../host/simulated/simulated-machine.ts'
import { plan } from '../../planner/plan.ts'
import { mergePolicies } from '../../api/disruption-policy/merge.ts'
import { facts, file, machineConfig, spec } from '../../planner/configs.fixture.ts'
import type { UpdateOutcome, Update } from './update.ts'
import { testRun, createUpdates } from './machine.fixture.ts'

/** Configs that differ in everything that an update can change, and a machine for them. */

const unit = (description: string, wantedBy: string): string =>
  `[Unit]\nDescription=${description}\n[Service]\nExecStart=/bin/true\n[Install]\nWantedBy=${wantedBy}\n`

const key = (name: string): string => `ssh-ed25519 AAAA${name} ${name}`

const partsA = {
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

const partsB = {
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

const configs = {
  empty: machineConfig('mco-empty-mc', spec({})),
  a: machineConfig('rendered-a', spec({ ...partsA, ...firstOs })),
  /** With another operating system, so that the machine must reboot. */
  b: machineConfig('rendered-b', spec({ ...partsB, ...secondOs })),
  /** As B, but with the OS of A: the update needs only actions on services. */
  c: machineConfig('rendered-c', spec({ ...partsB, ...firstOs })),
} as const

export type ScenarioConfig = keyof typeof configs

const actions = [
  { type: 'DaemonReload' as const },
  { type: 'Restart' as const, restart: { serviceName: 'changed.service' } },
  { type: 'Reload' as const, reload: { serviceName: 'crio.service' } },
]

const rules: PlanRules = {
  policies: mergePolicies({
    files: [{ path: '/etc', actions }],
    units: ['changed', 'gone', 'fresh', 'masked', 'chronyd', 'sshd', 'crio'].map((name) => ({
      name: `${name}.service`,
      actions: [{ type: 'None' as const }],
    })),
    sshkey: { actions: [{ type: 'None' }] },
  }),
}

/** Cached, because planning is slow. */
export function updateOf(from: ScenarioConfig, to: ScenarioConfig): Update {
  const key = `${from} ${to}`
  const known = plannedUpdates.get(key)
  if (known) return known
  const [current, desired] = [configs[from], configs[to]]
  const update = { plan: plan({ current, desired, rules, facts }), current, desired }
  plannedUpdates.set(key, update)
  return update
}

const plannedUpdates = new Map<string, Update>()

/** Adds unmanaged files that collide with the configs, and applies config A. */
export async function seedScenario(machine: SimulatedMachine): Promise<void> {
  const { files, units } = machine
  const root = { uid: 0, gid: 0 }
  const shipped = { content: Buffer.from('shipped by the OS'), mode: 0o640, uid: 0, gid: 10 }
  await files.write('/etc/shipped.conf', shipped)
  await files.link('/etc/was-a-link', 'shipped.conf')
  await files.makeDirectory('/etc/kubernetes', { mode: 0o755, ...root })
  const token = { content: Buffer.from('token'), mode: 0o644, ...root }
  await files.write('/etc/kubernetes/kubeconfig', token)
  await units.preset(['chronyd.service', 'crio.service', 'sshd.service'])
  const outcome = await runToEnd(machine, () =>
    createUpdates(machine).run(updateOf('empty', 'a'), testRun()),
  )
  if (outcome.type !== 'applied')
    throw new Error(`config A was not applied: ${JSON.stringify(outcome)}`)
}

/** Resumes the update until it ends, and reboots the machine when it requests it. */
export async function runToEnd(
  machine: SimulatedMachine,
  begin: () => Promise<UpdateOutcome>,
): Promise<UpdateOutcome> {
  let outcome = await begin()
  for (let rounds = 0; outcome.type === 'rebooting' || outcome.type === 'parked'; rounds++) {
    if (rounds > 5) throw new Error('the update does not end')
    if (outcome.type === 'rebooting') await machine.boot()
    outcome = await createUpdates(machine).resume(testRun())
  }
  return outcome
}
