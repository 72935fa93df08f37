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

/** Where we judge differently on purpose: what is asked, and why. */
const differences: readonly (readonly [RegExp, string])[] = [
  [/"-1(0)?s"/, 'no time runs backwards'],
  [/"(cgroupDriver|cpuManagerPolicy|memoryManagerPolicy|mode)":"/, 'read only when it runs'],
  [/"configMapAndSecretChangeDetectionStrategy":"/, 'read only when it runs'],
  [/"(qosReserved|containerLogMaxSize|containerLogMaxFiles)":/, 'read only when it runs'],
  [/"(5%%|1e1%)"/, 'who writes that means something else'],
  [/"showHiddenMetricsForVersion":"/, 'hangs on the version of the kubelet'],
  [/"(singleProcessOOMKill|failCgroupV1)":/, 'hangs on the machine'],
  [/"(splitStream|infoBufferSize)":/, 'hangs on feature gates'],
  [/"enableSystemLogQuery":true/, 'hangs on feature gates'],
]

function isTaken(conf: Conf): boolean {
  const problems: string[] = []
  kubeletFields(conf, 'conf', (problem) => void problems.push(problem))
  return problems.length === 0 && ruleProblems({ ...least, ...conf }).length === 0
}

/** What we judge differently, and nobody said why. */
function unexplained(confs: readonly Conf[], said: string): string[] {
  expect(said).toHaveLength(confs.length)
  return confs
    .filter((conf, i) => isTaken(conf) !== (said[i] === '+'))
    .map((conf) => JSON.stringify(conf))
    .filter((text) => !differences.some(([asked]) => asked.test(text)))
}

describe('what a real kubelet starts with is taken, and nothing else', () => {
  const newer = new Set(['?'])
  const known = Object.entries(verdicts.fields).filter(
    ([, said]) => newer.symmetricDifference(new Set(said)).size > 0,
  )

  it('has been asked about nearly all fields', () => {
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
    const differing = known.flatMap(([field, said]) =>
      unexplained(
        values.map((value) => ({ [field]: value })),
        said,
      ),
    )
    expect(differing).toEqual([])
  })

  it.each(Object.entries(together))('in %s', (topic, confs) => {
    expect(unexplained(confs, verdicts.together[topic]!)).toEqual([])
  })
})

it('every difference is one', () => {
  const asked = [
    ...Object.entries(verdicts.fields).flatMap(([field, said]) =>
      values.map((value, i) => [{ [field]: value }, said[i]] as const),
    ),
    ...Object.entries(together).flatMap(([topic, confs]) =>
      confs.map((conf, i) => [conf, verdicts.together[topic]![i]] as const),
    ),
  ]
  const differing = asked
    .filter(([conf, said]) => isTaken(conf) !== (said === '+'))
    .map(([conf]) => JSON.stringify(conf))
  const needless = differences.filter(([one]) => !differing.some((text) => one.test(text)))
  expect(needless).toEqual([])
})
