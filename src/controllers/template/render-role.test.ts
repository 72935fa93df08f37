import { describe, expect, it } from 'vitest'
import type { Config } from '@machinist/ignition/spec/config'
import type { MachineConfigSpec } from '../../api/kinds/machine-config.ts'
import { renderRole } from './render-role.ts'
import { readTemplates } from './template-set.ts'

type Texts = Readonly<Record<string, string>>

const made = (
  texts: Texts,
  { role = 'worker', on = ['_base'], variables = {} } = {},
): Record<string, MachineConfigSpec> => {
  const set = readTemplates(
    new Map(Object.entries(texts).map(([path, text]) => [`${path}.liquid`, text])),
  )
  return Object.fromEntries(
    renderRole(set, role, on, variables).map(({ name, spec }) => [name, spec]),
  )
}
const contents = (spec: MachineConfigSpec | undefined): Record<string, string | undefined> =>
  Object.fromEntries(
    ((spec?.config as Config | undefined)?.storage?.files ?? []).map(
      ({ path, contents: { source } = {} }) => [path, source],
    ),
  )
const motd = 'files/etc/motd'

describe('the templates of a role', () => {
  it('become MachineConfigs, one for each part', () => {
    const texts = {
      [`common/00/_base/${motd}`]: '---\nmode: 0600\nuser: core\n---\nHello {{ role }}\n',
      'worker/01-kubelet/_base/units/b.service':
        '---\nenabled: true\n---\n[Service]\nExecStart=/b\n[Install]\nWantedBy=x.target\n',
      'worker/01-kubelet/_base/units/b.service.d/20-b.conf': '[Unit]\n',
      'common/01-kubelet/_base/units/b.service.d/10-a.conf': '[Unit]\nWants=a.service\n',
      'common/01-kubelet/_base/units/a.service': '---\nmask: true\n---\n',
      'worker/05-mine/_base/extensions/usbguard': '',
      'worker/05-mine/_base/extensions/kerberos': '---\nwhen: role == "worker"\n---\n',
    }
    expect(made(texts)).toEqual({
      '00-worker': {
        config: {
          ignition: { version: '3.2.0' },
          storage: {
            files: [
              {
                path: '/etc/motd',
                mode: 384,
                overwrite: true,
                user: { name: 'core' },
                contents: { source: 'data:,Hello%20worker%0A' },
              },
            ],
          },
        },
      },
      '01-worker-kubelet': {
        config: {
          ignition: { version: '3.2.0' },
          systemd: {
            units: [
              { name: 'a.service', mask: true },
              {
                name: 'b.service',
                enabled: true,
                contents: '[Service]\nExecStart=/b\n[Install]\nWantedBy=x.target\n',
                dropins: [
                  { name: '10-a.conf', contents: '[Unit]\nWants=a.service\n' },
                  { name: '20-b.conf', contents: '[Unit]\n' },
                ],
              },
            ],
          },
        },
      },
      '05-worker-mine': {
        config: { ignition: { version: '3.2.0' } },
        extensions: ['kerberos', 'usbguard'],
      },
    })
  })

  it('are those of worker for a custom role, with its own name', () => {
    const texts = { [`worker/00/_base/${motd}`]: '{{ role }}', [`master/00/_base/${motd}`]: 'no' }
    expect(
      Object.entries(made(texts, { role: 'infra' })).map(([name, spec]) => [name, contents(spec)]),
    ).toEqual([['00-infra', { '/etc/motd': 'data:,infra' }]])
  })

  it.each<[string, Texts, Record<string, string>]>([
    ['all roles, base', {}, { '/etc/motd': 'data:,1' }],
    ['all roles, platform', { [`common/00/aws/${motd}`]: '2' }, { '/etc/motd': 'data:,2' }],
    [
      'this role, base',
      { [`common/00/aws/${motd}`]: '2', [`worker/00/_base/${motd}`]: '3' },
      { '/etc/motd': 'data:,3' },
    ],
    [
      'this role, platform',
      { [`worker/00/aws/${motd}`]: '4', [`worker/00/_base/${motd}`]: '3' },
      { '/etc/motd': 'data:,4' },
    ],
    [
      'not another role or platform',
      { [`master/00/_base/${motd}`]: '5', [`worker/00/gcp/${motd}`]: '6' },
      { '/etc/motd': 'data:,1' },
    ],
    [
      'a false condition',
      { [`worker/00/aws/${motd}`]: '---\nwhen: absent\n---\n4' },
      { '/etc/motd': 'data:,1' },
    ],
    ['a removal', { [`worker/00/aws/${motd}`]: '---\nremove: true\n---\n' }, {}],
    [
      'a removal with a false condition',
      { [`worker/00/aws/${motd}`]: '---\nremove: true\nwhen: absent\n---\n' },
      { '/etc/motd': 'data:,1' },
    ],
    ['nothing but white space', { [`worker/00/aws/${motd}`]: '\n' }, { '/etc/motd': 'data:,%0A' }],
    [
      'an invalid template that another replaces',
      { [`common/00/aws/${motd}`]: '{{ nope', [`worker/00/_base/${motd}`]: '3' },
      { '/etc/motd': 'data:,3' },
    ],
    [
      'an invalid template for another platform',
      { [`worker/00/gcp/${motd}`]: '{{ nope' },
      { '/etc/motd': 'data:,1' },
    ],
  ])('go over each other: %s', (_, texts, files) => {
    const all = { [`common/00/_base/${motd}`]: '1', ...texts }
    const on = ['_base', 'on-prem', 'aws']
    expect(contents(made(all, { on, variables: { absent: false } })['00-worker'])).toEqual(files)
  })

  it.each<[string, string, string, string]>([
    ['an unknown variable', motd, 'a\n{{ b }}', ':2:4: there is no variable b'],
    [
      'an unknown variable after a header',
      motd,
      '---\nmode: 0600\n---\n{{ b }}',
      ':4:4: there is no variable b',
    ],
    [
      'an invalid header',
      motd,
      '---\nmood: 1\n---\n',
      ':2: unknown field mood in the header of a file; known fields are when, remove, mode, user, group',
    ],
    [
      'an invalid condition',
      motd,
      '---\nmode: 0600\nwhen: role | nope\n---\n',
      ':3:1: undefined filter: nope',
    ],
    [
      'a condition with an unknown variable',
      motd,
      '---\nwhen: b == 1\n---\n',
      ':2:7: there is no variable b',
    ],
    [
      'a condition that closes itself',
      motd,
      '---\nwhen: "a %}{% endif %}"\n---\n',
      ':2: when contains %}',
    ],
    [
      'an invalid unit',
      'units/a.service',
      '[Service secret',
      ': renders to an invalid config: $.systemd.units[0].contents is not a valid systemd unit: a section name has no "]"',
    ],
    [
      'an invalid drop-in',
      'units/a.service.d/b.conf',
      '[Unit',
      ': renders to an invalid config: $.systemd.units[0].dropins[0]',
    ],
    [
      'a removal with text',
      motd,
      '---\nremove: true\n---\nx',
      ':4: has text although it removes its target',
    ],
    [
      'an extension with text',
      'extensions/usbguard',
      'x',
      ':1: has text although it is for an extension',
    ],
    ['an unknown extension', 'extensions/nope', '', ': invalid extensions found: nope'],
  ])('name the file and line of %s', (_, target, text, message) => {
    const act = (): unknown => made({ [`worker/00/_base/${target}`]: text })
    expect(act).toThrow(`worker/00/_base/${target}.liquid${message}`)
    expect(act).not.toThrow('secret')
  })

  it('are rejected together if paths are invalid', () => {
    expect(() => made({ 'x/y': '', 'worker/00/_base/scripts/a': '' })).toThrow(
      /^worker\/00\/_base\/scripts\/a\.liquid is in "scripts".*; x\/y\.liquid is not a template/,
    )
  })
})
