import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { kubeletFields } from '../../../../src/controllers/kubelet-config/kubelet-fields.ts'
import { ruleProblems } from '../../../../src/controllers/kubelet-config/merged-rules.ts'
import type { Conf } from './corpus/probes.ts'
import { least, together, values } from './corpus/probes.ts'

const file = join(import.meta.dirname, 'corpus/verdicts.json')
const verdicts = JSON.parse(readFileSync(file, 'utf8')) as {
  fields: Record<string, string>
  together: Record<string, string>
}

/** The intended differences: a pattern of probes, and the reason. */
const differences: readonly (readonly [RegExp, string])[] = [
  [/"-1(0)?s"/, 'durations must not be negative'],
  [
    /"(cgroupDriver|cpuManagerPolicy|memoryManagerPolicy|mode)":"/,
    'the kubelet parses it only at run time',
  ],
  [/"configMapAndSecretChangeDetectionStrategy":"/, 'the kubelet parses it only at run time'],
  [
    /"(qosReserved|containerLogMaxSize|containerLogMaxFiles)":/,
    'the kubelet parses it only at run time',
  ],
  [/"(5%%|1e1%)"/, 'probably a typing error'],
  [/"showHiddenMetricsForVersion":"/, 'depends on the version of the kubelet'],
  [/"(singleProcessOOMKill|failCgroupV1)":/, 'depends on the machine'],
  [/"(splitStream|infoBufferSize)":/, 'depends on feature gates'],
  [/"enableSystemLogQuery":true/, 'depends on feature gates'],
]

function isAccepted(conf: Conf): boolean {
  const problems: string[] = []
  kubeletFields(conf, 'conf', (problem) => void problems.push(problem))
  return problems.length === 0 && ruleProblems({ ...least, ...conf }).length === 0
}

/** The differences that are not intended. */
function unexplained(confs: readonly Conf[], results: string): string[] {
  expect(results).toHaveLength(confs.length)
  return confs
    .filter((conf, i) => isAccepted(conf) !== (results[i] === '+'))
    .map((conf) => JSON.stringify(conf))
    .filter((text) => !differences.some(([pattern]) => pattern.test(text)))
}

describe('a configuration is accepted if and only if a real kubelet starts with it', () => {
  const newer = new Set(['?'])
  const known = Object.entries(verdicts.fields).filter(
    ([, results]) => newer.symmetricDifference(new Set(results)).size > 0,
  )

  it('nearly all fields are covered', () => {
    const left = Object.keys(verdicts.fields).filter(
      (field) => !known.some(([one]) => one === field),
    )
    expect(known.length).toBeGreaterThan(110)
    expect(left).toEqual([
      'tlsCurvePreferences',
      'imagePullCredentialsVerificationPolicy',
      'preloadedImagesVerificationAllowlist',
      'mergeDefaultEvictionSettings',
      'defaultPodSysctls',
      'memoryReservationPolicy',
      'userNamespaces',
    ])
  })

  it('in every field', () => {
    const differing = known.flatMap(([field, results]) =>
      unexplained(
        values.map((value) => ({ [field]: value })),
        results,
      ),
    )
    expect(differing).toEqual([])
  })

  it.each(Object.entries(together))('in %s', (topic, confs) => {
    expect(unexplained(confs, verdicts.together[topic]!)).toEqual([])
  })
})

it('every intended difference exists', () => {
  const probed = [
    ...Object.entries(verdicts.fields).flatMap(([field, results]) =>
      values.map((value, i) => [{ [field]: value }, results[i]] as const),
    ),
    ...Object.entries(together).flatMap(([topic, confs]) =>
      confs.map((conf, i) => [conf, verdicts.together[topic]![i]] as const),
    ),
  ]
  const differing = probed
    .filter(([conf, result]) => isAccepted(conf) !== (result === '+'))
    .map(([conf]) => JSON.stringify(conf))
  const needless = differences.filter(([one]) => !differing.some((text) => one.test(text)))
  expect(needless).toEqual([])
})
