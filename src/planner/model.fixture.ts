import * as fc from 'fast-check'
import type { File, Unit } from '@machinist/ignition/spec/config'
import { inlineContent } from '@machinist/ignition/content'
import { dropinPath, unitPath } from '../api/node-paths.ts'
import type { PlanStep } from './model/update-plan.ts'
import type { Parts } from './configs.fixture.ts'

/** A model of a node that executes steps. Independent of the planner. */
export interface Model {
  readonly tree: Record<string, string>
  readonly units: Record<string, 'enabled' | 'disabled'>
  readonly keys: string
  readonly password: string
  readonly image: string
  readonly kernelArguments: readonly string[]
}

/** The node after a config was applied to an empty machine. Units are disabled by default. */
export function modelOf(parts: Parts): Model {
  const tree: Record<string, string> = {}
  const units: Model['units'] = {}
  for (const file of parts.files ?? []) tree[file.path] = fileText(file)
  for (const unit of parts.units ?? []) {
    const text = unitText(unit)
    if (text !== undefined) tree[unitPath(unit.name)] = text
    for (const { name, contents } of unit.dropins ?? []) {
      if (contents) tree[dropinPath(unit.name, name)] = contents
    }
    if (unit.enabled === true && unit.mask !== true) units[unit.name] = 'enabled'
  }
  return {
    tree,
    units,
    keys: keysText(parts),
    password: passwordText(parts),
    image: parts.osImageURL ?? '',
    kernelArguments: (parts.kernelArguments ?? []).flatMap((entry) => entry.split(' ')),
  }
}

export function afterSteps(before: Model, steps: readonly PlanStep[], desired: Parts): Model {
  const tree = { ...before.tree }
  const units = { ...before.units }
  const model = { ...before, tree, units }
  const unitNamed = (name: string): Unit => desired.units!.find((unit) => unit.name === name)!
  for (const step of steps) {
    switch (step.do) {
      case 'write-file':
        tree[step.path] = fileText(desired.files!.find(({ path }) => path === step.path)!)
        break
      case 'remove-file':
        delete tree[step.path]
        break
      case 'write-unit':
      case 'mask-unit':
        tree[unitPath(step.unit)] = unitText(unitNamed(step.unit))!
        // systemd cannot enable a masked unit.
        if (step.do === 'mask-unit') delete units[step.unit]
        break
      case 'remove-unit':
      case 'unmask-unit':
        delete tree[unitPath(step.unit)]
        break
      case 'write-dropin': {
        const { dropins } = unitNamed(step.unit)
        const contents = dropins!.find(({ name }) => name === step.dropin)!.contents!
        tree[dropinPath(step.unit, step.dropin)] = contents
        break
      }
      case 'remove-dropin':
        delete tree[dropinPath(step.unit, step.dropin)]
        break
      case 'set-units':
        for (const unit of [...step.disable, ...step.preset]) delete units[unit]
        for (const unit of step.enable) units[unit] = 'enabled'
        break
      case 'write-ssh-keys':
      case 'remove-ssh-keys':
        model.keys = keysText(desired)
        break
      case 'set-password':
        model.password = passwordText(desired)
        break
      case 'change-os': {
        model.image = step.image?.to ?? model.image
        const left = [...model.kernelArguments]
        for (const word of step.kernelArguments?.remove ?? []) left.splice(left.indexOf(word), 1)
        model.kernelArguments = [...left, ...(step.kernelArguments?.add ?? [])]
        break
      }
      case 'drain':
      case 'store-config':
      case 'daemon-reload':
      case 'reload':
      case 'restart':
      case 'reboot':
    }
  }
  return model
}

const fileText = (file: File): string =>
  `${file.mode ?? 0o644} ${Buffer.from(inlineContent(file.contents)).toString('base64')}`

const unitText = ({ mask, contents }: Unit): string | undefined =>
  mask === true ? '-> /dev/null' : contents || undefined

const keysText = ({ users = [] }: Parts): string =>
  users.flatMap(({ sshAuthorizedKeys = [] }) => sshAuthorizedKeys).join('\n')

const passwordText = ({ users = [] }: Parts): string => users[0]?.passwordHash ?? '*'

const content = fc.constantFrom('', 'one', 'two')
const contents = fc.constantFrom(
  '',
  '[Unit]\nDescription=a\n',
  '[Install]\nWantedBy=a.target\n',
  '[Install]\nWantedBy=b.target\n',
)

const file = fc
  .record({
    // Some paths of units, so that files and units replace each other.
    path: fc.constantFrom(
      '/etc/a',
      '/etc/b',
      unitPath('a.service'),
      dropinPath('a.service', 'x.conf'),
    ),
    mode: fc.constantFrom(0o600, 0o644),
    text: content,
    base64: fc.boolean(),
  })
  .map(({ path, mode, text, base64 }): File => {
    const source = base64 ? `data:;base64,${Buffer.from(text).toString('base64')}` : `data:,${text}`
    return { path, mode, contents: { source } }
  })

const unit = fc.record(
  {
    name: fc.constantFrom('a.service', 'b.service'),
    contents,
    enabled: fc.boolean(),
    mask: fc.boolean(),
    dropins: fc.uniqueArray(
      fc.record(
        { name: fc.constantFrom('x.conf', 'y.conf'), contents },
        { requiredKeys: ['name'] },
      ),
      { maxLength: 2, selector: ({ name }) => name },
    ),
  },
  { requiredKeys: ['name'] },
) as fc.Arbitrary<Unit>

const user = fc.record(
  {
    name: fc.constant('core'),
    sshAuthorizedKeys: fc.uniqueArray(fc.constantFrom('k1', 'k2', 'k3'), { minLength: 1 }),
  },
  { requiredKeys: ['name', 'sshAuthorizedKeys'] },
)

/** Configs that are usually reconcilable. */
export const arbitraryParts: fc.Arbitrary<Parts> = fc.record({
  files: fc.uniqueArray(file, { maxLength: 4, selector: ({ path }) => path }),
  units: fc.uniqueArray(unit, { maxLength: 2, selector: ({ name }) => name }),
  users: fc.array(user, { minLength: 1, maxLength: 1 }),
  kernelArguments: fc.array(fc.constantFrom('a', 'b', 'c d'), { maxLength: 4 }),
  osImageURL: fc.constantFrom('image-one', 'image-two'),
})
