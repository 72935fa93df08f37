import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { KubeletConfig } from '../../../../src/api/resources.ts'
import { parseYaml } from '@machinist/core/yaml'
import type { KubeletConf } from '../../../../src/controllers/kubelet-defaults/kubelet-conf.ts'
import { problemsOf } from '../../../../src/controllers/kubelet-config/problems.ts'
import { settle } from '../../../../src/controllers/kubelet-config/settle.ts'
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
const said = (text: string): string[] =>
  problemsOf(parseYaml(text, 'docs') as KubeletConfig, worker)

describe('what people copy', () => {
  it.each([
    [
      'examples/kubelet-config.yaml',
      readFileSync(join(root, 'examples/kubelet-config.yaml'), 'utf8'),
    ],
    ['the page', /```yaml\n(apiVersion[^`]*)```/.exec(page)![1]!],
  ])('works: %s', (_, text) => {
    expect(said(text)).toEqual([])
    const object = parseYaml(text, 'docs') as KubeletConfig
    expect(settle([object], base('worker'))).toHaveProperty('spec')
  })

  it('is refused in the words of the page', () => {
    const wrong = `
metadata: { name: a }
spec:
  kubeletConfig: { maxPod: 1, systemReserved: { cpu: 1 }, nodeStatusUpdateFrequency: "10" }
`
    const told = said(wrong)
    expect(told).toHaveLength(3)
    for (const problem of told) expect(page).toContain(`\n${problem}\n`)
  })
})

it.each(['master', 'worker'])('the templates of %s break none of the rules', (role) => {
  expect(settle([], base(role))).toHaveProperty('spec')
})
