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
  ])('%j is fit for a directory: %s', (host, isFit) => {
    expect(hostProblem(host) === undefined).toBe(isFit)
  })

  it('that is fit leads to a file right below the directory of all, whatever it is', () => {
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
  it('touches nothing that is neither wanted nor owned', () => {
    const host = fc.constantFrom('a', 'b', 'c', 'd:5000', '../e')
    const hosts = fc.uniqueArray(host)
    fc.assert(
      fc.property(hosts, hosts, hosts, (wanted, there, owned) => {
        const plan = planRegistries({
          wanted: new Map(wanted.map((each) => [each, Buffer.from('no certificate')])),
          actual: new Map(there.map((each) => [each, 'digest'])),
          owned,
        })
        expect(plan.remove).toEqual(owned.filter((each) => !wanted.includes(each)))
        // Nothing of it can be used, so nothing is written, and what is there stays.
        expect([plan.write, plan.adopt, [...plan.refused.keys()]]).toEqual([[], [], wanted])
      }),
      { numRuns: 200 },
    )
  })
})
