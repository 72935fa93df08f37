import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { emptyControllerConfigSpec } from '../../api/kinds/new-controller-config.ts'
import type { ControllerConfig } from '../../api/kinds/resources.ts'
import type { TemplateInput } from './facts.ts'
import { renderRoles, rolesOf } from './roles.ts'
import { readTemplates } from './template-set.ts'

const spec: ControllerConfig['spec'] = {
  ...emptyControllerConfigSpec,
  clusterDNSIP: '10.96.0.10',
  images: { b: '2', a: '1' },
  ipFamilies: 'IPv4',
}
const infra = (status: object): ControllerConfig['spec']['infra'] => ({
  metadata: { name: 'cluster' },
  spec: {},
  status,
})
const templates = readTemplates(
  new Map([
    [
      'common/00/_base/files/a.liquid',
      '{{ role }} {{ clusterDNSIP }} {{ pullSecret }} {{ certificateDelivery }} {{ containerRuntime }} {{ rootCAData }} {{ images | json }}',
    ],
    ['worker/00/_base/files/b.liquid', '{% if images.broken %}\n{{ nope }}{% endif %}'],
    ['arbiter/00/_base/files/b.liquid', ''],
  ]),
)
const facts = (more: Partial<ControllerConfig['spec']> = {}, annotations = {}): TemplateInput => ({
  controllerConfig: { metadata: { name: 'c', annotations }, spec: { ...spec, ...more } },
  pullSecret: { text: '{"auths":{}}' },
  templates,
})
const problems = (of: TemplateInput): unknown[] =>
  renderRoles(of).map(({ role, result }) => [
    role,
    'problem' in result ? [result.check, result.problem] : 'ok',
  ])

describe('the result of templates', () => {
  it('is one list of MachineConfigs for each role', () => {
    const [master] = renderRoles(facts({ rootCAData: 'Q0E=' }))
    expect(master).toEqual({
      role: 'master',
      result: {
        parts: [
          {
            name: '00-master',
            spec: {
              config: {
                ignition: { version: '3.2.0' },
                storage: {
                  files: [
                    {
                      path: '/a',
                      mode: 420,
                      overwrite: true,
                      contents: {
                        source:
                          'data:,master%2010.96.0.10%20%7B%22auths%22%3A%7B%7D%7D%20direct%20crio%20CA%20%7B%22a%22%3A%221%22%2C%22b%22%3A%222%22%7D',
                      },
                    },
                  ],
                },
              },
            },
          },
        ],
      },
    })
  })

  it('includes arbiters only if the control plane has them', () => {
    expect(rolesOf({ spec })).toEqual(['master', 'worker'])
    const topology = infra({ controlPlaneTopology: 'HighlyAvailableArbiter' })
    expect(rolesOf({ spec: { ...spec, infra: topology } })).toEqual(['master', 'worker', 'arbiter'])
  })

  it('fails only for the role of an invalid template', () => {
    expect(problems(facts({ images: { broken: 'yes' } }))).toEqual([
      ['master', 'ok'],
      [
        'worker',
        [
          'templatesRender',
          {
            reason: 'BadTemplate',
            message: 'worker/00/_base/files/b.liquid:2:4: there is no variable nope',
          },
        ],
      ],
    ])
  })

  it.each<[string, TemplateInput, string, object]>([
    [
      'no platform',
      facts({ infra: infra({}) }),
      'platformIsKnown',
      {
        reason: 'BadPlatform',
        message: 'cannot generate MachineConfigs when no platformStatus.type is set in spec.infra',
      },
    ],
    [
      'no pull secret',
      { ...facts(), pullSecret: { problem: { reason: 'PullSecretMissing', message: 'gone' } } },
      'pullSecretIsValid',
      { reason: 'PullSecretMissing', message: 'gone' },
    ],
    [
      'a bundle that is not base64',
      facts({ rootCAData: 'secret?' }),
      'fieldsAreValid',
      { reason: 'BadControllerConfig', message: 'spec.rootCAData is not valid base64' },
    ],
    [
      'an unknown delivery',
      facts({}, { 'machinist.dev/certificate-delivery': 'post' }),
      'fieldsAreValid',
      {
        reason: 'BadControllerConfig',
        message: 'annotation machinist.dev/certificate-delivery is "post"; use direct or rendered',
      },
    ],
    [
      'an unknown container runtime',
      facts({}, { 'machinist.dev/container-runtime': 'docker' }),
      'fieldsAreValid',
      {
        reason: 'BadControllerConfig',
        message: 'annotation machinist.dev/container-runtime is "docker"; use crio or containerd',
      },
    ],
    [
      'a part that is too large',
      facts({ rootCAData: Buffer.from('%'.repeat(800_000)).toString('base64') }),
      'partsFitIntoObjects',
      {
        reason: 'TooLarge',
        message:
          'MachineConfig 00-master would have more than 1500000 bytes, which is more than the API server stores',
      },
    ],
  ])('is a problem with %s', (_, of, check, problem) => {
    expect(problems(of)[0]).toEqual(['master', [check, problem]])
  })

  it('does not depend on the order of keys in the ControllerConfig', () => {
    const text = fc.string({ maxLength: 20 })
    const pairs = fc.uniqueArray(fc.tuple(fc.stringMatching(/^[a-z]{1,4}$/), text), {
      selector: ([key]) => key,
      maxLength: 5,
    })
    fc.assert(
      fc.property(pairs, text, fc.base64String(), (images, clusterDNSIP, rootCAData) => {
        const one = renderRoles(
          facts({ clusterDNSIP, rootCAData, images: Object.fromEntries(images) }),
        )
        const reversed = Object.fromEntries(
          Object.entries({ ...spec, clusterDNSIP, rootCAData }).toReversed(),
        )
        const other = renderRoles(
          facts({ ...reversed, images: Object.fromEntries(images.toReversed()) }),
        )
        expect(JSON.stringify(other)).toBe(JSON.stringify(one))
      }),
      { numRuns: 50 },
    )
  })
})
