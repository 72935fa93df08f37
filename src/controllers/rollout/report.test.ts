import { expect, it } from 'vitest'
import { pool } from '../../fleet/pools/pool.fixture.ts'
import { at, node } from '../../fleet/rollout/scene.fixture.ts'
import type { NodeSketch } from '../../fleet/rollout/scene.fixture.ts'
import { reportAnnotationChanges } from './report.ts'

function eventsFor(before: NodeSketch, object: NodeSketch): string[] {
  const lines: string[] = []
  const events = {
    normal: (about: { name: string }, reason: string, message: string) =>
      void lines.push(`${about.name} ${reason}: ${message}`),
    warning: () => {},
  }
  const change = { before: node(before), object: node(object) }
  reportAnnotationChanges(events, pool({ name: 'master' }), change)
  return lines
}

const domain = 'machineconfiguration.openshift.io'

it('every changed annotation of a control plane node is an event', () => {
  expect(eventsFor(at('V0'), at('V0', 'V1', { state: 'Working' }))).toEqual([
    `master AnnotationChange: Node node-0 now has ${domain}/desiredConfig=V1`,
    `master AnnotationChange: Node node-0 now has ${domain}/state=Working`,
  ])
  const layered = at('V1', 'V1', { currentImage: 'i', desiredImage: 'i' })
  expect(eventsFor(layered, at('V1', 'V1', { currentImage: 'i' }))).toEqual([
    `master AnnotationChange: Node node-0 no longer has ${domain}/desiredImage`,
  ])
})

it('the end of an update and nodes without a config cause no event', () => {
  expect(eventsFor(at('V0', 'V1', { state: 'Working' }), at('V1'))).toEqual([])
  expect(eventsFor({}, { desired: 'V1' })).toEqual([])
  expect(eventsFor(at('V0'), at('V0'))).toEqual([])
})
