import { describe, expect, it } from 'vitest'
import { VirtualClock } from '@machinist/core/virtual-clock'
import type { Node } from '@machinist/kube/kinds/core'
import { context, ScriptedServer, staticCache } from '@machinist/testing/servers/scripted-server'
import type { NodeTrust } from '../../api/kinds/resources.ts'
import { act } from './act.ts'
import { decide } from './decide.ts'
import { gather } from './gather.ts'
import { GrantedTurns } from './granted-turns.ts'
import { LostTurns } from './lost-turns.ts'

const requestedAt = '2026-11-16T14:02:00Z'
const node: Node = { metadata: { name: 'worker-0', uid: 'n' } }

function trust(resourceVersion: string, grantedAt?: string, startedAt?: string): NodeTrust {
  return {
    metadata: { name: 'worker-0', uid: 'u', resourceVersion },
    spec: { ...(grantedAt !== undefined && { kubeletRestart: { grantedAt } }) },
    status: { kubeletRestart: { requestedAt, ...(startedAt !== undefined && { startedAt }) } },
  }
}

/** Turns of one node whose NodeTrust changes between the decision and the write. */
class Turns {
  readonly clock = new VirtualClock()
  readonly grantedTurns = new GrantedTurns(this.clock)
  readonly lostTurns = new LostTurns(this.clock)

  sources(cached: NodeTrust) {
    const caches = { nodeTrusts: staticCache(cached), nodes: staticCache(node) }
    return { caches, grantedTurns: this.grantedTurns, lostTurns: this.lostTurns }
  }

  act(server: ScriptedServer, decidedOn: NodeTrust, written: NodeTrust) {
    const plan = decide(gather(this.sources(decidedOn)))
    const { client } = server
    return act(plan, { ...this.sources(written), ...context, client, clock: this.clock })
  }
}

describe('a turn', () => {
  it('that started after the decision is not withdrawn', async () => {
    const turns = new Turns()
    gather(turns.sources(trust('5', requestedAt)))
    await turns.clock.advance(120_000)
    const server = new ScriptedServer([409, 'Conflict'])
    const started = trust('6', requestedAt, '2026-11-16T14:04:00Z')
    const result = await turns.act(server, trust('5', requestedAt), started)
    expect(server.bodies).toMatchObject([{ metadata: { resourceVersion: '5' } }])
    expect(result).toEqual({ withdrawn: [], stopped: { type: 'conflict' } })
  })

  it('whose grant has no response counts as granted, also right after another write', async () => {
    const turns = new Turns()
    turns.grantedTurns.wrote(trust('9'))
    await turns.act(new ScriptedServer([500, 'InternalError']), trust('8'), trust('8'))
    expect(gather(turns.sources(trust('8'))).turns).toMatchObject([{ heldMs: 0 }])
  })
})
