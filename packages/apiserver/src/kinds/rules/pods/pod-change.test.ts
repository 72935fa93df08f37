import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { podChangeProblems } from './pod-change.ts'
import { imageProblems, podSpecProblems } from './pod-checks.ts'

const container = { name: 'c', image: 'i:1' }
const toleration = { key: 'a', operator: 'Exists', tolerationSeconds: 300 }
const spec = {
  containers: [container],
  terminationGracePeriodSeconds: 30,
  tolerations: [toleration],
  activeDeadlineSeconds: 10,
}

const reported = (change: object, before: object = spec): string[] =>
  podChangeProblems({ ...before, ...change }, { ...before }).map(
    ({ field, message }) => `${field}: ${message!.split('\n')[0]!.slice(0, 60)}`,
  )

describe('an allowed pod change', () => {
  it.each([
    [{}],
    [{ containers: [{ ...container, image: 'i:2' }] }],
    [{ activeDeadlineSeconds: 5 }],
    [{ tolerations: [{ ...toleration, tolerationSeconds: 1 }, { operator: 'Exists' }] }],
    [{ schedulingGates: [] }],
  ])('%j', (change) => {
    expect(reported(change)).toEqual([])
  })

  it.each([
    [{ nodeName: 'n' }, 'spec: Forbidden: pod updates may not change fields other than `spe'],
    [
      { containers: [] },
      'spec.containers: Forbidden: pod updates may not add or remove containers',
    ],
    [
      { containers: [{ ...container, command: ['x'] }] },
      'spec: Forbidden: pod updates may not change fields other than `spe',
    ],
    [
      { activeDeadlineSeconds: 11 },
      'spec.activeDeadlineSeconds: Invalid value: 11: must be less than or equal to previous va',
    ],
    [
      { tolerations: [] },
      'spec.tolerations: Forbidden: existing toleration can not be modified except it',
    ],
    [
      { terminationGracePeriodSeconds: 1 },
      'spec: Forbidden: pod updates may not change fields other than `spe',
    ],
  ])('does not include %j', (change, problem) => {
    expect(reported(change)).toEqual([problem])
  })

  it('is compared in the message', () => {
    const [cause] = podChangeProblems({ ...spec, nodeName: 'n' }, spec)
    expect(cause!.message).toContain('\n- \tnodeName: nil,\n+ \tnodeName: "n",\n')
  })

  it('includes the repair of a negative grace period', () => {
    expect(
      reported(
        { terminationGracePeriodSeconds: 1 },
        { ...spec, terminationGracePeriodSeconds: -1 },
      ),
    ).toEqual([])
  })
})

describe('a pod', () => {
  const good = {
    containers: [{ ...container, terminationMessagePolicy: 'File', imagePullPolicy: 'Always' }],
    restartPolicy: 'Always',
    dnsPolicy: 'ClusterFirst',
  }

  it('is valid with all fields', () => {
    expect(podSpecProblems(good, 'spec')).toEqual([])
    expect(imageProblems(good)).toEqual([])
  })

  it('of any shape is valid or not, and never throws', () => {
    const value = fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.object({ maxDepth: 1 }))
    const names = ['containers', 'initContainers', 'restartPolicy', 'nodeSelector', 'nodeName']
    const anySpec = fc.dictionary(fc.constantFrom(...names), fc.oneof(value, fc.array(value)))
    fc.assert(
      fc.property(anySpec, anySpec, (after, before) => {
        const causes = [...podSpecProblems(after, 'spec'), ...podChangeProblems(after, before)]
        expect(causes.every(({ field }) => field?.startsWith('spec'))).toBe(true)
        expect(podChangeProblems(after, after)).toEqual([])
      }),
      { numRuns: 200 },
    )
  })
})
