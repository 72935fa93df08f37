import { describe, expect, it } from 'vitest'
import type { Unit } from '@machinist/ignition/spec/config'
import type { Parts } from '../configs.fixture.ts'
import { facts, file, planned } from '../configs.fixture.ts'
import type { PlanStep } from '../model/update-plan.ts'

const steps = (before: Parts, after: Parts): readonly PlanStep[] => planned(before, after).steps
const ofUnits = (before: readonly Unit[], after: readonly Unit[]): PlanStep[] =>
  steps({ units: before }, { units: after }).filter(
    (step) => !['drain', 'store-config', 'reboot'].includes(step.do),
  )
const contents = '[Service]\nExecStart=/bin/true\n'
const installed = `${contents}[Install]\nWantedBy=multi-user.target\n`
const list = (lists: { enable?: string[]; disable?: string[]; preset?: string[] }): PlanStep => ({
  do: 'set-units',
  enable: [],
  disable: [],
  preset: [],
  ...lists,
})

describe('steps', () => {
  it('are in a fixed order, and only for differences', () => {
    const before: Parts = {
      files: [file('/a', 'same'), file('/b', 'old'), file('/gone')],
      units: [
        { name: 'old.service', contents },
        { name: 'same.service', contents },
      ],
    }
    const after: Parts = {
      files: [file('/c'), file('/a', 'same'), file('/b', 'new')],
      units: [
        { name: 'same.service', contents, dropins: [{ name: 'x.conf', contents }] },
        { name: 'new.service', contents, enabled: true },
      ],
      users: [{ name: 'core', sshAuthorizedKeys: ['key'], passwordHash: 'x' }],
      kernelArguments: ['a'],
      osImageURL: 'image',
      kernelType: 'realtime',
      extensions: ['usbguard'],
    }
    expect(steps(before, after)).toEqual([
      { do: 'drain' },
      { do: 'remove-file', path: '/gone' },
      { do: 'write-file', path: '/b' },
      { do: 'write-file', path: '/c' },
      list({ disable: ['old.service'] }),
      { do: 'write-unit', unit: 'new.service' },
      { do: 'write-dropin', unit: 'same.service', dropin: 'x.conf' },
      { do: 'remove-unit', unit: 'old.service' },
      list({ enable: ['new.service'], preset: ['old.service'] }),
      { do: 'write-ssh-keys', user: 'core', path: 'authorized_keys.d/ignition' },
      { do: 'set-password', user: 'core' },
      {
        do: 'change-os',
        image: { from: '', to: 'image' },
        kernelType: { from: 'default', to: 'realtime' },
        extensions: { from: [], to: ['usbguard'] },
        kernelArguments: { remove: [], add: ['a'] },
      },
      { do: 'store-config' },
      {
        do: 'reboot',
        reason:
          'update to new: kernel arguments take effect at boot (add a), the kernel type takes effect at boot, extensions take effect at boot and 7 more',
      },
    ])
  })

  it('without differences store the config', () => {
    expect(steps({}, {})).toEqual([{ do: 'store-config' }])
  })

  it('reload a service once, however many actions require it', () => {
    const after = {
      files: ['/etc/containers/registries.conf', '/etc/containers/policy.json'].map((path) =>
        file(path),
      ),
    }
    expect(steps({}, after).slice(-2)).toEqual([
      { do: 'store-config' },
      { do: 'reload', service: 'crio.service' },
    ])
  })

  it('apply the unchanged kernel and packages to a new image', () => {
    const same = { kernelType: 'realtime', extensions: ['usbguard'] }
    const made = steps({ ...same, osImageURL: 'a' }, { ...same, osImageURL: 'b' })
    expect(made).toContainEqual({
      do: 'change-os',
      image: { from: 'a', to: 'b' },
      kernelType: { from: 'realtime', to: 'realtime' },
      extensions: { from: ['usbguard'], to: ['usbguard'] },
    })
  })

  it('write keys to the file that sshd reads', () => {
    const users = [{ name: 'core', sshAuthorizedKeys: ['key'] }]
    const old = { ...facts, keysPath: 'authorized_keys' } as const
    expect(planned({}, { users }, { facts: old }).steps[0]).toEqual({
      do: 'write-ssh-keys',
      user: 'core',
      path: 'authorized_keys',
    })
  })

  it('remove the file of keys when none is left', () => {
    const [some, none] = [{ sshAuthorizedKeys: ['key'] }, { sshAuthorizedKeys: [] }]
    const core = { name: 'core', passwordHash: 'x' }
    const removal = { do: 'remove-ssh-keys', user: 'core', path: 'authorized_keys.d/ignition' }
    expect(steps({ users: [{ ...core, ...some }] }, { users: [{ ...core, ...none }] })).toEqual([
      removal,
      { do: 'store-config' },
    ])
    expect(steps({ users: [{ name: 'core', ...some }] }, {})).toEqual([
      removal,
      { do: 'store-config' },
    ])
  })

  it('lock the password of a removed user', () => {
    const users = [{ name: 'core', passwordHash: 'x' }]
    expect(steps({ users }, {})).toEqual([
      { do: 'set-password', user: 'core' },
      { do: 'store-config' },
    ])
  })

  it('with the force file rewrite everything', () => {
    const all: Parts = {
      files: [file('/b'), file('/a')],
      units: [
        { name: 'b.service', contents, dropins: [{ name: 'x.conf', contents }], enabled: true },
        { name: 'a.service', mask: true },
      ],
      users: [{ name: 'core', sshAuthorizedKeys: ['key'], passwordHash: 'x' }],
      osImageURL: 'image',
    }
    expect(planned(all, all, { facts: { ...facts, forced: true } }).steps).toEqual([
      { do: 'drain' },
      { do: 'write-file', path: '/a' },
      { do: 'write-file', path: '/b' },
      { do: 'mask-unit', unit: 'a.service' },
      { do: 'write-unit', unit: 'b.service' },
      { do: 'write-dropin', unit: 'b.service', dropin: 'x.conf' },
      list({ enable: ['b.service'] }),
      { do: 'write-ssh-keys', user: 'core', path: 'authorized_keys.d/ignition' },
      { do: 'set-password', user: 'core' },
      { do: 'change-os', image: { from: 'image', to: 'image' } },
      { do: 'store-config' },
      {
        do: 'reboot',
        reason: 'update to new: the force file exists',
      },
    ])
  })
})

describe('steps of units', () => {
  const a = { name: 'a.service' }

  it.each<[string, Unit[], Unit[], PlanStep[]]>([
    [
      'a new unit is preset',
      [],
      [{ ...a, contents }],
      [{ do: 'write-unit', unit: 'a.service' }, list({ preset: ['a.service'] })],
    ],
    [
      'a unit of the operating system is enabled',
      [],
      [{ ...a, enabled: true }],
      [list({ enable: ['a.service'] })],
    ],
    [
      'changed contents require no systemctl call',
      [{ ...a, contents, enabled: true }],
      [{ ...a, contents: `${contents}#\n`, enabled: true }],
      [{ do: 'write-unit', unit: 'a.service' }],
    ],
    [
      'a unit with a changed [Install] section is disabled first and enabled again',
      [{ ...a, contents, enabled: true }],
      [{ ...a, contents: installed, enabled: true }],
      [
        list({ disable: ['a.service'] }),
        { do: 'write-unit', unit: 'a.service' },
        list({ enable: ['a.service'] }),
      ],
    ],
    [
      'a written unit is disabled before it is masked, while systemctl still sees its file',
      [{ ...a, contents, enabled: true }],
      [{ ...a, contents, enabled: true, mask: true }],
      [list({ disable: ['a.service'] }), { do: 'mask-unit', unit: 'a.service' }],
    ],
    [
      'a vendor unit is only masked',
      [{ ...a, enabled: true }],
      [{ ...a, enabled: true, mask: true }],
      [{ do: 'mask-unit', unit: 'a.service' }],
    ],
    [
      'a unit that is disabled by Also= of another unit is enabled again',
      [
        { ...a, contents: `${installed}Also=b.socket  c.socket\n`, enabled: true },
        { name: 'b.socket', enabled: true },
        { name: 'c.socket', enabled: false },
      ],
      [
        { ...a, contents: `${installed}Also=b.socket  c.socket\n`, enabled: false },
        { name: 'b.socket', enabled: true },
        { name: 'c.socket', enabled: false },
      ],
      [list({ disable: ['a.service'], enable: ['b.socket'] })],
    ],
    [
      'contents replace a mask',
      [{ ...a, mask: true }],
      [{ ...a, contents, enabled: true }],
      [{ do: 'write-unit', unit: 'a.service' }, list({ enable: ['a.service'] })],
    ],
    [
      'a mask that is no longer specified is removed',
      [{ ...a, mask: true }],
      [],
      [{ do: 'unmask-unit', unit: 'a.service' }, list({ preset: ['a.service'] })],
    ],
    [
      'a manual mask is removed with mask: false',
      [],
      [{ ...a, mask: false }],
      [{ do: 'unmask-unit', unit: 'a.service' }],
    ],
    [
      'contents that are no longer specified are removed, the rest is kept',
      [{ ...a, contents, enabled: true }],
      [{ ...a, enabled: true }],
      [
        list({ disable: ['a.service'] }),
        { do: 'remove-unit', unit: 'a.service' },
        list({ enable: ['a.service'] }),
      ],
    ],
    [
      'a drop-in without contents is removed',
      [{ ...a, dropins: [{ name: 'x.conf', contents }] }],
      [{ ...a, dropins: [{ name: 'x.conf', contents: '' }] }],
      [{ do: 'remove-dropin', unit: 'a.service', dropin: 'x.conf' }],
    ],
  ])('%s', (_, before, after, expected) => {
    expect(ofUnits(before, after)).toEqual(expected)
  })

  it('replace files, and files replace units', () => {
    const path = '/etc/systemd/system/kubelet.service.d/10-foo.conf'
    const dropin: Parts = {
      units: [{ name: 'kubelet.service', dropins: [{ name: '10-foo.conf', contents }] }],
    }
    const verbs = (before: Parts, after: Parts): string[] =>
      steps(before, after)
        .map((step) => step.do)
        .filter((verb) => /write|remove/.test(verb))
    expect(verbs({ files: [file(path)] }, dropin)).toEqual(['write-dropin'])
    expect(verbs(dropin, { files: [file(path)] })).toEqual(['write-file'])
    const other = path.replace('10-foo', '20-bar')
    for (const kept of [other, `/usr${path}`, path.replace('kubelet', 'crio')]) {
      expect(verbs({ files: [file(kept)] }, dropin)).toEqual(['remove-file', 'write-dropin'])
    }
    const unit: Parts = { units: [{ name: 'a.service', contents }] }
    const unitFile = { files: [file('/etc/systemd/system/a.service')] }
    expect(verbs(unitFile, unit)).toEqual(['write-unit'])
    expect(verbs(unit, unitFile)).toEqual(['write-file'])
  })
})
