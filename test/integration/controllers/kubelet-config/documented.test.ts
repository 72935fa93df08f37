import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseYaml } from '@machinist/core/encoding/yaml'
import type { KubeletConfig } from '../../../../src/api/kinds/resources.ts'
import type { KubeletConf } from '../../../../src/controllers/kubelet-defaults/kubelet-conf.ts'
import { kubeletConfigProblems } from '../../../../src/controllers/kubelet-config/problems.ts'
import { mergeKubeletConfigs } from '../../../../src/controllers/kubelet-config/merge.ts'
import { exampleControllerConfig } from '../support/example-controller-config.ts'
import { filesOf, rendered } from '../template/rendered.ts'

const root = join(import.meta.dirname, '../../../..')
const page = readFileSync(join(root, 'docs/kubelet-config.md'), 'utf8')
const path = '/etc/kubernetes/kubelet.conf'
const base = (role: string): KubeletConf => {
  const parts = rendered(exampleControllerConfig('plain-kubernetes')).get(role)!
  return parseYaml(filesOf(parts).get(path)!.text, path) as KubeletConf
}
const worker = {
  name: 'worker',
  role: 'worker',
  isControlPlane: false,
  pool: { metadata: { name: 'worker' }, spec: {} },
}
const problemsIn = (text: string): string[] =>
  kubeletConfigProblems(parseYaml(text, 'docs') as KubeletConfig, worker)

describe('documented examples', () => {
  it.each([
    [
      'examples/kubelet-config.yaml',
      readFileSync(join(root, 'examples/kubelet-config.yaml'), 'utf8'),
    ],
    ['the page', /```yaml\n(apiVersion[^`]*)```/.exec(page)![1]!],
  ])('are valid: %s', (_, text) => {
    expect(problemsIn(text)).toEqual([])
    const object = parseYaml(text, 'docs') as KubeletConfig
    expect(mergeKubeletConfigs([object], base('worker'))).toHaveProperty('spec')
  })

  it('the messages of the page are those of the controller', () => {
    const wrong = `
metadata: { name: a }
spec:
  kubeletConfig: { maxPod: 1, systemReserved: { cpu: 1 }, nodeStatusUpdateFrequency: "10" }
`
    const problems = problemsIn(wrong)
    expect(problems).toHaveLength(3)
    for (const problem of problems) expect(page).toContain(`\n${problem}\n`)
  })
})

it.each(['master', 'worker'])('the templates of %s are valid', (role) => {
  expect(mergeKubeletConfigs([], base(role))).toHaveProperty('spec')
})
