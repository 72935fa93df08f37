import { expect, it } from 'vitest'
import { at, node, pool } from '../../fleet/rollout/scene.fixture.ts'
import type { NodeSketch } from '../../fleet/rollout/scene.fixture.ts'
import { tellAnnotations } from './telling.ts'

function told(before: NodeSketch, object: NodeSketch): string[] {
  const lines: string[] = []
  const events = {
    normal: (about: { name: string }, reason: string, message: string) =>
      void lines.push(`${about.name} ${reason}: ${message}`),
    warning: () => {},
  }
  const change = { before: node(before), object: node(object) }
  tellAnnotations(events, pool({ name: 'master' }), change)
  return lines
}

const domain = 'machineconfiguration.openshift.io'

it('what a control plane node is told and reports is an event each', () => {
  expect(told(at('V0'), at('V0', 'V1', { state: 'Working' }))).toEqual([
    `master AnnotationChange: Node node-0 now has ${domain}/desiredConfig=V1`,
    `master AnnotationChange: Node node-0 now has ${domain}/state=Working`,
  ])
  const layered = at('V1', 'V1', { currentImage: 'i', desiredImage: 'i' })
  expect(told(layered, at('V1', 'V1', { currentImage: 'i' }))).toEqual([
    `master AnnotationChange: Node node-0 no longer has ${domain}/desiredImage`,
  ])
})

it('its end is told by the pool, and what is not managed yet by nobody', () => {
  expect(told(at('V0', 'V1', { state: 'Working' }), at('V1'))).toEqual([])
  expect(told({}, { desired: 'V1' })).toEqual([])
  expect(told(at('V0'), at('V0'))).toEqual([])
})
