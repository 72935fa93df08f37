import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { defaultPolicies } from './defaults.ts'
import { mergePolicies } from './merge.ts'
import { policyProblems } from './validate.ts'

describe('merging policies', () => {
  it('returns the defaults without a user policy', () => {
    expect(mergePolicies()).toEqual(defaultPolicies)
    expect(mergePolicies({ sshkey: { actions: [] } })).toEqual(defaultPolicies)
  })

  it('replaces entries in place and appends others', () => {
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

  it('does not modify the defaults', () => {
    const before = structuredClone(defaultPolicies)
    const merged = mergePolicies()
    merged.files!.pop()
    merged.sshkey!.actions.push({ type: 'Drain' })
    expect(defaultPolicies).toEqual(before)
  })

  it('returns a valid cluster policy', () => {
    expect(policyProblems(mergePolicies(), 'cluster')).toEqual([])
  })
})

describe('policy validation', () => {
  const file = (path: string, ...actions: object[]): object => ({ path, actions })
  const problems = (policy: unknown): string[] =>
    policyProblems(policy).map(({ path, message }) => `${path}: ${message}`)

  it('accepts policies that the API server accepts', () => {
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
    ['a path twice', { files: [file('/a'), file('/a')] }, ['files[1].path: "/a" is listed twice']],
    [
      'Reload without a unit',
      { files: [file('/a', { type: 'Reload' })] },
      ['files[0].actions[0].reload: is required for Reload'],
    ],
    [
      'a unit of another action type',
      { files: [file('/a', { type: 'Drain', restart: { serviceName: 'a.service' } })] },
      ['files[0].actions[0].restart: is only allowed for Restart'],
    ],
    [
      'Reboot with another action',
      { files: [file('/a', { type: 'Reboot' }, { type: 'DaemonReload' })] },
      ['files[0].actions: Reboot must be the only action'],
    ],
    [
      'None with another action',
      { sshkey: { actions: [{ type: 'None' }, { type: 'None' }] } },
      ['sshkey.actions: None must be the only action'],
    ],
    [
      'the action Special',
      { files: [file('/a', { type: 'Special' })] },
      [
        'files[0].actions[0].type: must be one of Reboot, Drain, Reload, Restart, DaemonReload, None',
      ],
    ],
    ['an object instead of a list', { files: {} }, ['files: must be a list']],
    ['missing actions', { sshkey: {} }, ['sshkey.actions: must be a list']],
    [
      'an unknown field',
      { file: [] },
      ['file: is not a field of a policy; use files, units or sshkey'],
    ],
    [
      'too many entries',
      { files: Array.from({ length: 51 }, (_, i) => file(`/${i}`)) },
      ['files: has 51 entries; at most 50 are allowed'],
    ],
    [
      'too many actions',
      { sshkey: { actions: Array.from({ length: 11 }, () => ({ type: 'Drain' })) } },
      ['sshkey.actions: has 11 actions; at most 10 are allowed'],
    ],
  ])('rejects %s', (_, policy, expected) => {
    expect(problems(policy)).toEqual(expected)
  })

  it.each(['.service', 'service', 'serv.ice', 'a b.service', `${'a'.repeat(255)}.service`])(
    'rejects the unit name %s',
    (name) => {
      expect(problems({ units: [{ name, actions: [] }] })).toHaveLength(1)
    },
  )

  it('accepts Special and 100 entries in a cluster policy', () => {
    const files = Array.from({ length: 51 }, (_, i) => file(`/${i}`, { type: 'Special' }))
    expect(policyProblems({ files }, 'cluster')).toEqual([])
  })

  it('never throws, for any value', () => {
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
