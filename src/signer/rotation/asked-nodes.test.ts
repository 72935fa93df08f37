import { expect, it } from 'vitest'
import { atRest, authority, day, rotationOf, signer, spec, start } from './decide-world.fixture.ts'
import type { NodeTrust } from '../../api/resources.ts'
import type { Node } from '@machinist/kube/kinds/core'
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
  expect(asked.facts(atRest({ rotation: { ...rotationOf(timed), name: 'three' } }))).toEqual({
    nodes: undefined,
  })
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

it('keeps what nodes reported about a CA when a rotation goes back to it', () => {
  const [a, b] = [authority('1'), authority('2', start + day)]
  const certificates = [a, b].map(({ fingerprint, subject }) => ({
    fingerprint,
    subject,
    notAfter: '',
  }))
  const ledger = (state: 'Current' | 'Lagging', count: number): NodeTrust => ({
    metadata: { name: 'a' },
    status: {
      items: [{ name: 'api-server-ca', state, certificates: certificates.slice(0, count) }],
    },
  })
  let trust = ledger('Current', 1)
  const asked = new AskedNodes({
    nodes: { get: () => node, list: () => [node] },
    nodeTrusts: { get: () => trust },
  })
  const rotation = rotationOf({ ...spec, trustedBy: 'api-server-ca' })
  asked.facts(atRest({ rotation, signer: signer(a) }))
  // The new CA is on disk, and the kubelet runs with the old one.
  trust = ledger('Lagging', 2)
  asked.heard('a', start)
  const there = asked.facts(atRest({ rotation, signer: signer(b, a) }))
  expect(there).toMatchObject({ nodes: { lacking: 1 }, previousNodes: { lacking: 0 } })
  const back = asked.facts(atRest({ rotation, signer: signer(a, b) }))
  expect(back).toMatchObject({ nodes: { lacking: 0 }, previousNodes: { lacking: 1 } })
})
