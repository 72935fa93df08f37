import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fileWith } from '../../fleet/render/render-inputs.fixture.ts'
import type { ControllerConfig, MachineConfig, MachineConfigPool } from '../../api/resources.ts'
import { storedTemplatesOf, storedTemplatesText, unseenTemplate } from './stored-templates.ts'

const role = 'machineconfiguration.openshift.io/role'
const generatedBy = 'machineconfiguration.openshift.io/generated-by-controller-version'
const [a, b] = [fileWith('/etc/a', 'a'), fileWith('/etc/b', 'b')]

const configWith = (annotations: Record<string, string>): ControllerConfig => ({
  metadata: { name: 'machine-config-controller', annotations },
  spec: {} as ControllerConfig['spec'],
})
const poolOf = (...values: string[]): MachineConfigPool => ({
  metadata: { name: 'x' },
  spec: { machineConfigSelector: { matchExpressions: [{ key: role, operator: 'In', values }] } },
})
const made = (
  name: string,
  spec: MachineConfig['spec'],
  more: Partial<MachineConfig['metadata']> = {},
): MachineConfig => ({
  metadata: {
    name,
    labels: { [role]: 'worker' },
    annotations: { [generatedBy]: 'build' },
    ...more,
  },
  ...(spec && { spec }),
})

const said = configWith({
  'machinist.dev/templates.worker': storedTemplatesText([
    { name: '01-worker-kubelet', spec: b },
    { name: '00-worker', spec: a },
  ]),
  'machinist.dev/templates.master': '{"00-master":"0"}',
})
const whole = [made('00-worker', a), made('01-worker-kubelet', b)]

describe('what is not seen of templates', () => {
  it('is nothing when all is there, or nothing is said', () => {
    expect(unseenTemplate(said, poolOf('worker', 'infra'), whole)).toBeUndefined()
    expect(unseenTemplate(configWith({}), poolOf('worker'), [])).toBeUndefined()
  })

  it('does not concern pools of other roles', () => {
    expect(unseenTemplate(said, poolOf('infra'), [])).toBeUndefined()
    expect(unseenTemplate(said, poolOf('master'), whole)).toBe(
      '00-master, which the templates of master made, to be there',
    )
  })

  it.each<[string, MachineConfig[], string | undefined]>([
    [
      'not there',
      [made('00-worker', a)],
      '01-worker-kubelet, which the templates of worker made, to be there',
    ],
    [
      'older, or edited',
      [made('00-worker', b), made('01-worker-kubelet', b)],
      '00-worker to be as the templates of worker made it',
    ],
    [
      'without content',
      [made('00-worker', undefined), made('01-worker-kubelet', b)],
      '00-worker to be as the templates of worker made it',
    ],
    [
      'still there',
      [...whole, made('05-worker-mine', a)],
      '05-worker-mine to be gone: the templates of worker no longer make it',
    ],
    [
      'about to go, and held by somebody',
      [...whole, made('05-worker-mine', a, { deletionTimestamp: '2026-01-01T00:00:00Z' })],
      undefined,
    ],
    [
      'not made by a controller, so nobody removes it',
      [...whole, made('05-worker-mine', a, { annotations: {} })],
      undefined,
    ],
    [
      'of another role',
      [...whole, made('05-infra-mine', a, { labels: { [role]: 'infra' } })],
      undefined,
    ],
    [
      'labelled by somebody so that this pool does not take it',
      [made('00-worker', a, { labels: { [role]: 'worker', zone: 'b' } }), whole[1]!],
      undefined,
    ],
  ])('is one that is %s', (_, seen, unseen) => {
    expect(unseenTemplate(said, poolOf('worker'), seen)).toBe(unseen)
  })
})

describe('what a ControllerConfig says of templates', () => {
  it('is sorted by name', () => {
    expect(said.metadata.annotations?.['machinist.dev/templates.worker']).toMatch(
      /^\{"00-worker":"[0-9a-f]{32}","01-worker-kubelet":"[0-9a-f]{32}"\}$/,
    )
  })

  it('is nothing where it cannot be read, whatever is there', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        const read = storedTemplatesOf(configWith({ 'machinist.dev/templates.worker': text }))
        for (const digests of read.values()) {
          for (const digest of digests.values()) expect(typeof digest).toBe('string')
        }
        expect([...read.keys()].filter((each) => each !== 'worker')).toEqual([])
      }),
      { numRuns: 200 },
    )
    for (const text of ['', '[', 'null', '"x"', '7']) {
      expect(storedTemplatesOf(configWith({ 'machinist.dev/templates.w': text })).size).toBe(0)
    }
  })

  it('comes back for any names', () => {
    const partsOf = fc.uniqueArray(fc.stringMatching(/^[a-z0-9.-]{1,20}$/), { maxLength: 6 })
    fc.assert(
      fc.property(partsOf, (names) => {
        const text = storedTemplatesText(names.map((name) => ({ name, spec: a })))
        const stored = storedTemplatesOf(configWith({ 'machinist.dev/templates.w': text })).get('w')
        expect([...(stored?.keys() ?? [])].toSorted()).toEqual(names.toSorted())
      }),
      { numRuns: 100 },
    )
  })
})
