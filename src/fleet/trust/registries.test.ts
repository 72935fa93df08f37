import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hostOf, hostProblem, planRegistries, registryPath } from './registries.ts'

describe('the name of a registry', () => {
  it.each([
    ['registry.example', true],
    ['image-registry.openshift-image-registry.svc:5000', true],
    ['[fd00::1]:5000', true],
    ['a..b', true],
    ['.', false],
    ['..', false],
    ['', false],
    ['a/b', false],
    ['../x', false],
    ['a\0b', false],
    ['a\nb', false],
    ['x'.repeat(256), false],
  ])('%j is valid: %s', (host, isValid) => {
    expect(hostProblem(host) === undefined).toBe(isValid)
  })

  it('leads to a file directly below the registries directory if it is valid', () => {
    fc.assert(
      fc.property(fc.string(), (host) => {
        if (hostProblem(host) !== undefined) return
        expect(registryPath(host)).toMatch(/^\/etc\/docker\/certs\.d\/[^/]+\/ca\.crt$/)
        expect(registryPath(host)).not.toContain('/../')
        expect(hostOf(registryPath(host))).toBe(host)
      }),
    )
  })

  it.each([
    '/etc/docker/certs.d/ca.crt',
    '/etc/docker/certs.d/a/b/ca.crt',
    '/etc/kubernetes/ca.crt',
  ])('is not in %s', (path) => {
    expect(hostOf(path)).toBeUndefined()
  })
})

describe('the plan', () => {
  it('changes only desired or owned hosts', () => {
    const host = fc.constantFrom('a', 'b', 'c', 'd:5000', '../e')
    const hosts = fc.uniqueArray(host)
    fc.assert(
      fc.property(hosts, hosts, hosts, (desired, there, owned) => {
        const plan = planRegistries({
          desired: new Map(desired.map((each) => [each, Buffer.from('no certificate')])),
          actual: new Map(there.map((each) => [each, 'digest'])),
          owned,
        })
        expect(plan.remove).toEqual(owned.filter((each) => !desired.includes(each)))
        // The content is unusable, so nothing is written and existing files stay.
        expect([plan.write, plan.adopt, [...plan.refused.keys()]]).toEqual([[], [], desired])
      }),
      { numRuns: 200 },
    )
  })
})
