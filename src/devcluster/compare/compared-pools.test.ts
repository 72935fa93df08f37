import { describe, expect, it } from 'vitest'
import { parseSize } from '../size/cluster-size.ts'
import { comparedPools } from './compared-pools.ts'

describe('the pools of a comparison', () => {
  it.each([
    ['1,2,infra=1', ['master 1', 'worker 2', 'infra 1 paused']],
    ['2,1', ['master 2', 'worker 1 paused']],
    ['1,0,infra=2', ['master 1', 'infra 2 paused']],
    ['3', ['master 3 paused']],
  ])('%s', (nodes, expected) => {
    const pools = comparedPools(parseSize(nodes)).map(
      ({ name, nodes: members, paused }) => `${name} ${members.length}${paused ? ' paused' : ''}`,
    )
    expect(pools).toEqual(expected)
  })

  it('have their nodes by name', () => {
    expect(comparedPools(parseSize('1,2'))[1]?.nodes).toEqual(['worker-0', 'worker-1'])
  })
})
