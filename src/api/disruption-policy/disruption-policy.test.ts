import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { defaultPolicies } from './defaults.ts'
import { mergePolicies } from './merge.ts'
import { policyProblems } from './validate.ts'

describe('merging', () => {
  it('of nothing gives the defaults', () => {
    expect(mergePolicies()).toEqual(defaultPolicies)
    expect(mergePolicies({ sshkey: { actions: [] } })).toEqual(defaultPolicies)
  })

  it('replaces entries where they stand and appends others', () => {
    const merged = mergePolicies({
      files: [
        { path: '/etc/x', actions: [{ type: 'None' }] },
        { path: '/etc/containers/policy.json', actions: [{ type: 'Reboot' }] },
      ],
      units: [{ name: 'iri-registry.service', actions: [{ type: 'None' }] }],
      sshkey: { actions: [{ type: 'Drain' }] },
    })
    expect(merged.files!.map(({ path }) => path)).toEqual([
      ...defaultPolicies.files.map(({ path }) => path),
      '/etc/x',
    ])
    expect(merged.files![2]).toEqual({
      path: '/etc/containers/policy.json',
      actions: [{ type: 'Reboot' }],
    })
    expect(merged.units).toEqual([{ name: 'iri-registry.service', actions: [{ type: 'None' }] }])
    expect(merged.sshkey).toEqual({ actions: [{ type: 'Drain' }] })
  })

  it('leaves the defaults alone', () => {
    const before = structuredClone(defaultPolicies)
    const merged = mergePolicies()
    merged.files!.pop()
    merged.sshkey!.actions.push({ type: 'Drain' })
    expect(defaultPolicies).toEqual(before)
  })

  it('makes what the status may hold', () => {
    expect(policyProblems(mergePolicies(), 'cluster')).toEqual([])
  })
})

describe('validation', () => {
  const file = (path: string, ...actions: object[]): object => ({ path, actions })
  const problems = (policy: unknown): string[] =>
    policyProblems(policy).map(({ path, message }) => `${path}: ${message}`)

  it('accepts what the API accepts', () => {
    expect(
      problems({
        files: [
          file('/a', { type: 'Drain' }, { type: 'Reload', reload: { serviceName: 'a.service' } }),
        ],
        units: [
          { name: 'a:b_c-d\\.e.swap', actions: [{ type: 'None' }] },
          { name: 'a.b.c.d.e.snapshot', actions: [{ type: 'Reboot' }] },
        ],
        sshkey: { actions: [{ type: 'DaemonReload' }] },
      }),
    ).toEqual([])
    expect(problems({})).toEqual([])
  })

  it.each([
    ['a path twice', { files: [file('/a'), file('/a')] }, ['files[1].path: "/a" is there twice']],
    [
      'a reload of nothing',
      { files: [file('/a', { type: 'Reload' })] },
      ['files[0].actions[0].reload: is required for Reload'],
    ],
    [
      'a service that is not asked for',
      { files: [file('/a', { type: 'Drain', restart: { serviceName: 'a.service' } })] },
      ['files[0].actions[0].restart: is only allowed for Restart'],
    ],
    [
      'a reboot and more',
      { files: [file('/a', { type: 'Reboot' }, { type: 'DaemonReload' })] },
      ['files[0].actions: Reboot must be the only action'],
    ],
    [
      'nothing and more',
      { sshkey: { actions: [{ type: 'None' }, { type: 'None' }] } },
      ['sshkey.actions: None must be the only action'],
    ],
    [
      'the special one',
      { files: [file('/a', { type: 'Special' })] },
      [
        'files[0].actions[0].type: has to be one of Reboot, Drain, Reload, Restart, DaemonReload, None',
      ],
    ],
    ['no list', { files: {} }, ['files: has to be a list']],
    ['no actions', { sshkey: {} }, ['sshkey.actions: has to be a list']],
    ['another field', { file: [] }, ['file: is no part of a policy; use files, units or sshkey']],
    [
      'too many',
      { files: Array.from({ length: 51 }, (_, i) => file(`/${i}`)) },
      ['files: has 51 entries; at most 50 are allowed'],
    ],
    [
      'too much to do',
      { sshkey: { actions: Array.from({ length: 11 }, () => ({ type: 'Drain' })) } },
      ['sshkey.actions: has 11 actions; at most 10 are allowed'],
    ],
  ])('refuses %s', (_, policy, expected) => {
    expect(problems(policy)).toEqual(expected)
  })

  it.each(['.service', 'service', 'serv.ice', 'a b.service', `${'a'.repeat(255)}.service`])(
    'refuses the unit %s',
    (name) => {
      expect(problems({ units: [{ name, actions: [] }] })).toHaveLength(1)
    },
  )

  it('of the policy in force knows Special and a hundred entries', () => {
    const files = Array.from({ length: 51 }, (_, i) => file(`/${i}`, { type: 'Special' }))
    expect(policyProblems({ files }, 'cluster')).toEqual([])
  })

  it('never throws, whatever it is given', () => {
    const piece = fc.anything({ maxDepth: 4 })
    const policy = fc.oneof(
      piece,
      fc.record({ files: piece, units: fc.array(piece), sshkey: piece }, { requiredKeys: [] }),
      fc.record({ files: fc.array(fc.record({ path: fc.string(), actions: piece })) }),
    )
    fc.assert(
      fc.property(policy, (some) => {
        expect(Array.isArray(policyProblems(some))).toBe(true)
      }),
      { numRuns: 500 },
    )
  })
})
