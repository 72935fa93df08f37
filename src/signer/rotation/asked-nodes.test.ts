import { expect, it } from 'vitest'
import { atRest, rotationOf, spec, start } from '../../../test/signer/decide-world.ts'
import type { NodeTrust } from '../../api/resources.ts'
import type { Node } from '../../kube/kinds/core.ts'
import { AskedNodes } from './asked-nodes.ts'

const node: Node = { metadata: { name: 'a', uid: '1' } }

it('names the rotations for which news of a node are news, and forgets those that are gone', () => {
  let trust: NodeTrust | undefined
  const asked = new AskedNodes({
    nodes: { get: () => node, list: () => [node] },
    nodeTrusts: { get: () => trust },
  })
  for (const name of ['one', 'two']) {
    asked.facts(atRest({ rotation: { ...rotationOf(), name } }))
  }
  const { trustedBy: _, ...timed } = spec
  expect(asked.facts(atRest({ rotation: { ...rotationOf(timed), name: 'three' } }))).toBe(undefined)
  expect(asked.heard('a', start)).toEqual([])
  const certificates = [
    { fingerprint: 'fingerprint of 1', subject: 'CN=keys_signer@1', notAfter: '' },
  ]
  const items = [{ name: 'kubelet-client-ca', state: 'Current' as const, certificates }]
  trust = { metadata: { name: 'a' }, status: { items } }
  expect(asked.heard('a', start)).toEqual(['one', 'two'])
  expect(asked.heard('a', start)).toEqual([])
  trust = undefined
  asked.forget('one')
  expect(asked.heard('a', start)).toEqual(['two'])
})
