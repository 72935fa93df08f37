import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Parts } from '../configs.fixture.ts'
import { actionTexts, facts, file, planned } from '../configs.fixture.ts'
import type { DisruptionAction } from '../../api/kinds/node-disruption-policy.ts'
import type { PlanRules } from '../model/plan-input.ts'
import { mergePolicies } from '../../api/disruption-policy/merge.ts'
import { osCapabilities } from '../model/os-capabilities.ts'
import { combined } from './actions.ts'

const registries = '/etc/containers/registries.conf'
const pullSecret = '/var/lib/kubelet/config.json'
const kubeletCa = '/etc/kubernetes/kubelet-ca.crt'
const policyJson = '/etc/containers/policy.json'
const gpg = '/etc/machine-config-daemon/no-reboot/containers-gpg.pub'
const userCa = '/etc/pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt'

const keys = (key: string): Parts => ({ users: [{ name: 'core', sshAuthorizedKeys: [key] }] })
const of = (...paths: string[]): Parts => ({ files: paths.map((path) => file(path, 'old')) })
const now = (...paths: string[]): Parts => ({ files: paths.map((path) => file(path, 'new')) })

type Case = readonly [what: string, before: Parts, after: Parts, actions: readonly string[]]

const everyLegacy: readonly Case[] = [
  ['an unknown file', of('/etc/random-reboot-file'), now('/etc/random-reboot-file'), ['Reboot']],
  ['the pull secret', of(pullSecret), now(pullSecret), ['None']],
  ['a new pull secret', {}, now(pullSecret), ['None']],
  ['a key', keys('key1'), keys('key2'), ['None']],
  ['registries.conf', of(registries), now(registries), ['Reload crio.service']],
  ['no registries.conf', of(registries), {}, ['Reload crio.service']],
  ['the kubelet CA', of(kubeletCa), now(kubeletCa), ['None']],
  [
    'registries.conf and the pull secret',
    of(registries, pullSecret),
    now(registries, pullSecret),
    ['Reload crio.service'],
  ],
  [
    'registries.conf, a key and an image',
    { ...of(registries), ...keys('key1'), osImageURL: 'one' },
    { ...now(registries), ...keys('key2'), osImageURL: 'two' },
    ['Reboot'],
  ],
  [
    'much, and a kernel argument',
    { ...of(registries), ...keys('key1') },
    { ...now(pullSecret, kubeletCa), ...keys('key2'), kernelArguments: ['karg'] },
    ['Reboot'],
  ],
  ['policy.json', of(policyJson), now(policyJson), ['Reload crio.service']],
  ['the GPG keys', of(gpg), now(gpg), ['Reload crio.service']],
  ['a unit', {}, { units: [{ name: 'a.service', contents: '[Unit]\n' }] }, ['Reboot']],
  ['nothing', of('/etc/x'), of('/etc/x'), ['None']],
]

const restartCrio = ['Restart coreos-update-ca-trust.service', 'Restart crio.service']

describe('the tables of older releases', () => {
  it.each(everyLegacy)('4.12: %s', (_, before, after, actions) => {
    expect(actionTexts(planned(before, after, { rules: '4.12' }))).toEqual(actions)
  })

  it.each<Case>([
    ...everyLegacy,
    ["the administrator's CAs", of(userCa), now(userCa), restartCrio],
    ['those and the GPG keys', of(userCa, gpg), now(userCa, gpg), restartCrio],
    ['in registries.d', {}, now('/etc/containers/registries.d/x.yaml'), ['Reload crio.service']],
    ['deeper in registries.d', {}, now('/etc/containers/registries.d/x/y'), ['Reboot']],
    ['nmstate', {}, now('/etc/nmstate/openshift/x.yml'), ['None']],
  ])('4.16: %s', (_, before, after, actions) => {
    expect(actionTexts(planned(before, after, { rules: '4.16' }))).toEqual(actions)
  })

  it('of 4.12 have no directories and no CAs of the administrator', () => {
    const rules = '4.12'
    expect(actionTexts(planned({}, now(userCa), { rules }))).toEqual(['Reboot'])
    expect(actionTexts(planned({}, now('/etc/nmstate/openshift/x'), { rules }))).toEqual(['Reboot'])
  })

  it('state the rule', () => {
    const [action] = planned(of(registries, pullSecret), now(registries, pullSecret), {
      rules: '4.16',
    }).actions
    expect(action).toEqual({
      type: 'Reload',
      service: 'crio.service',
      rule: 'the rules of 4.16 for /etc/containers/registries.conf',
      because: [registries],
    })
  })
})

describe('the default policies', () => {
  it.each<Case>([
    ['nothing', {}, {}, ['None']],
    ['an unknown file', {}, now('/etc/x'), ['Reboot']],
    ['the pull secret', {}, now(pullSecret), ['None']],
    ['the GPG keys', {}, now(gpg), ['Reload crio.service']],
    ['policy.json', {}, now(policyJson), ['Reload crio.service']],
    ['registries.conf', {}, now(registries), ['Special crio.service']],
    ['in registries.d', {}, now('/etc/containers/registries.d/x/y'), ['Reload crio.service']],
    ['crio policies', {}, now('/etc/crio/policies/x.json'), ['Reload crio.service']],
    ['nmstate', {}, now('/etc/nmstate/openshift/x.yml'), ['None']],
    ["the administrator's CAs", {}, now(userCa), restartCrio],
    [
      'credential providers',
      {},
      now('/etc/kubernetes/credential-providers/x'),
      ['Restart kubelet.service'],
    ],
    [
      'the drop-in for credential providers, as a file',
      {},
      now('/etc/systemd/system/kubelet.service.d/40-kubelet-crio-image-credential-provider.conf'),
      ['DaemonReload', 'Restart kubelet.service'],
    ],
    [
      'the registry in the cluster',
      {},
      now('/etc/iri-registry/x'),
      ['Restart iri-registry.service'],
    ],
    [
      'its script',
      {},
      now('/usr/local/bin/load-registry-image.sh'),
      ['Restart iri-registry.service'],
    ],
    [
      'its CA',
      {},
      now('/etc/pki/ca-trust/source/anchors/iri-root-ca.crt'),
      ['Restart coreos-update-ca-trust.service'],
    ],
    [
      'its unit',
      {},
      { units: [{ name: 'iri-registry.service', contents: '[Unit]\n' }] },
      ['DaemonReload', 'Restart iri-registry.service'],
    ],
    ['keys', {}, keys('key'), ['None']],
    ['the kubelet CA, which the kubelet reloads', {}, now(kubeletCa), ['None']],
    ['a unit', {}, { units: [{ name: 'a.service', contents: '[Unit]\n' }] }, ['Reboot']],
    [
      'a drop-in',
      {},
      { units: [{ name: 'a.service', dropins: [{ name: 'a.conf', contents: '[Unit]\n' }] }] },
      ['Reboot'],
    ],
    [
      'three files for crio, once',
      {},
      now(policyJson, gpg, '/etc/crio/policies/x'),
      ['Reload crio.service'],
    ],
    ['None and others', {}, now(pullSecret, policyJson), ['Reload crio.service']],
    ['only Nones', {}, { ...now(pullSecret), ...keys('key') }, ['None']],
    ['the kernel', {}, { kernelType: 'realtime' }, ['Reboot']],
    ['extensions', {}, { extensions: ['usbguard'] }, ['Reboot']],
    ['an image', {}, { osImageURL: 'x' }, ['Reboot']],
    ['kernel arguments', {}, { kernelArguments: ['x'] }, ['Reboot']],
  ])('%s', (_, before, after, actions) => {
    const made = planned(before, after)
    expect(actionTexts(made)).toEqual(actions)
    expect(made.reboot).toBe(actions.includes('Reboot'))
  })

  it('state the rule and all changes', () => {
    expect(planned({}, now('/etc/a', '/etc/b')).actions).toEqual([
      {
        type: 'Reboot',
        rule: 'no policy for /etc/a and no policy for /etc/b',
        because: ['/etc/a', '/etc/b'],
      },
    ])
    expect(planned({}, now(policyJson, gpg)).actions).toEqual([
      {
        type: 'Reload',
        service: 'crio.service',
        rule: `default policy for ${policyJson} and default policy for ${gpg}`,
        because: [policyJson, gpg],
      },
    ])
    expect(planned({}, {}).actions).toEqual([
      { type: 'None', rule: 'nothing differs', because: [] },
    ])
  })
})

describe('the policies of the cluster', () => {
  const rules: PlanRules = {
    policies: mergePolicies({
      files: [
        { path: '/etc/chrony.conf', actions: [restart('chronyd.service')] },
        { path: '/etc/quiet', actions: [{ type: 'None' }] },
        { path: '/etc/drained', actions: [{ type: 'Drain' }, reload('a.service')] },
        { path: '/etc/empty', actions: [] },
      ],
      units: [{ name: 'a.service', actions: [restart('a.service')] }],
      sshkey: { actions: [restart('sshd.service')] },
    }),
  }
  const actions = (after: Parts): string[] => actionTexts(planned({}, after, { rules }))

  it('apply to files, units and keys', () => {
    expect(actions(now('/etc/chrony.conf'))).toEqual(['Restart chronyd.service'])
    expect(actions(now('/etc/drained'))).toEqual(['Drain', 'Reload a.service'])
    expect(actions(now('/etc/empty'))).toEqual(['None'])
    expect(actions(keys('key'))).toEqual(['Restart sshd.service'])
    expect(actions({ users: [{ name: 'core', passwordHash: 'x' }] })).toEqual([
      'Restart sshd.service',
    ])
  })

  it('never apply to the operating system', () => {
    expect(actions({ ...now('/etc/quiet'), osImageURL: 'x' })).toEqual(['Reboot'])
  })

  it('are distinguished from the default policies', () => {
    const [action] = planned({}, now('/etc/quiet/x'), { rules }).actions
    expect(action).toEqual({
      type: 'None',
      rule: 'policy for /etc/quiet',
      because: ['/etc/quiet/x'],
    })
  })

  it('reload systemd before a changed unit is restarted', () => {
    const made = planned({}, { units: [{ name: 'a.service', contents: '[Unit]\n' }] }, { rules })
    expect(actionTexts(made)).toEqual(['Restart a.service'])
    expect(made.steps.slice(-2)).toEqual([
      { do: 'daemon-reload' },
      { do: 'restart', service: 'a.service' },
    ])
  })

  it('without entries require a reboot for all changes except keys', () => {
    const bare: PlanRules = { policies: {} }
    expect(actionTexts(planned({}, now(pullSecret), { rules: bare }))).toEqual(['Reboot'])
    expect(actionTexts(planned({}, keys('key'), { rules: bare }))).toEqual(['None'])
  })
})

describe('combined actions', () => {
  const asked = (...lists: DisruptionAction[][]): string[] =>
    combined(lists.map((actions, i) => ({ actions, rule: `rule ${i}`, because: `${i}` }))).map(
      ({ type, service }) => (service === undefined ? type : `${type} ${service}`),
    )
  const none: DisruptionAction = { type: 'None' }
  const reboot: DisruptionAction = { type: 'Reboot' }
  const daemonReload: DisruptionAction = { type: 'DaemonReload' }

  it('are combined as in MCO, without duplicates', () => {
    expect(asked([none], [none])).toEqual(['None'])
    expect(asked([none], [reload('a')])).toEqual(['Reload a'])
    expect(asked([reload('a')], [reload('a')])).toEqual(['Reload a'])
    expect(asked([{ type: 'Drain' }], [reboot])).toEqual(['Reboot'])
    expect(asked()).toEqual(['None'])
  })

  it('keep the order of each change', () => {
    expect(asked([restart('k')], [daemonReload, restart('k')])).toEqual([
      'DaemonReload',
      'Restart k',
    ])
    expect(asked([restart('trust'), restart('crio')], [restart('trust')])).toEqual([
      'Restart trust',
      'Restart crio',
    ])
    expect(asked([reload('a'), reload('b')], [reload('b'), reload('a')])).toEqual([
      'Reload a',
      'Reload b',
    ])
  })

  it('keep the order within every list, unless the lists contradict each other', () => {
    const ordered = fc.uniqueArray(fc.integer({ min: 0, max: 6 }), { maxLength: 5 })
    fc.assert(
      fc.property(fc.array(ordered, { maxLength: 5 }), (lists) => {
        const sorted = lists.map((list) => list.toSorted((a, b) => a - b))
        const got = asked(...sorted.map((list) => list.map((i) => reload(`${i}`))))
        const place = (i: number): number => got.indexOf(`Reload ${i}`)
        for (const list of sorted) {
          expect(list.map(place)).toEqual(list.map(place).toSorted((a, b) => a - b))
        }
        const wanted = new Set(lists.flat())
        expect(got).toHaveLength(Math.max(1, wanted.size))
      }),
      { numRuns: 200 },
    )
  })
})

describe('the force file', () => {
  it('requires a reboot for any difference', () => {
    const made = planned({}, {}, { facts: { ...facts, forced: true } })
    expect(made).toMatchObject({ changes: [], drain: true, reboot: true })
    expect(made.actions).toEqual([
      { type: 'Reboot', rule: 'the force file exists', because: ['the force file'] },
    ])
  })
})

describe('a node without an OS driver', () => {
  it('applies the rest of a config when only the image of the release differs', () => {
    const made = planned(
      { osImageURL: 'a' },
      { osImageURL: 'b', ...now(policyJson) },
      { facts: { ...facts, os: osCapabilities.packages } },
    )
    expect(actionTexts(made)).toEqual(['Reload crio.service'])
    expect(made.steps.map((step) => step.do)).toEqual(['write-file', 'store-config', 'reload'])
    expect(made.changes.at(-1)!.summary).toBe(
      'the OS image changes from a to b, recorded but not applied; no further action (the OS driver of this machine cannot change it).',
    )
  })
})

function reload(serviceName: string): Named {
  return { type: 'Reload', reload: { serviceName } }
}

function restart(serviceName: string): Named {
  return { type: 'Restart', restart: { serviceName } }
}

type Named = DisruptionAction & { type: 'Reload' | 'Restart' }
