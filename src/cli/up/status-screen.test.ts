import { describe, expect, it } from 'vitest'
import type { MachineConfigPool } from '../../api/resources.ts'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { plainStyle } from '../style.ts'
import type { ScreenOptions } from './status-screen.ts'
import { showStatus } from './status-screen.ts'

const empty = { list: () => [], get: () => undefined, subscribe: () => () => {} }

/** A cluster with one pool, which changes as told. */
class Stage {
  readonly clock = new VirtualClock()
  out = ''
  readonly #pools = new Map<string, MachineConfigPool>()
  readonly #told = new Set<() => void>()
  readonly leave: () => void

  constructor(window?: ScreenOptions['window'], headings?: string[]) {
    const pools = {
      list: () => [...this.#pools.values()],
      get: () => undefined,
      subscribe: (handler: unknown) => {
        const tell = handler as () => void
        this.#told.add(tell)
        return () => void this.#told.delete(tell)
      },
    }
    const out = (text: string): void => {
      this.out += text
    }
    this.leave = showStatus(
      {
        pools,
        nodes: empty,
        machineConfigNodes: empty,
        rotations: empty,
        controllerConfigs: empty,
      },
      {
        out,
        clock: this.clock,
        style: plainStyle,
        ...(window && { window }),
        ...(headings && { headings }),
      },
    )
  }

  pool(name: string, updated: number): void {
    this.#pools.set(name, {
      metadata: { name },
      spec: { configuration: { name: 'V1' } },
      status: { machineCount: 2, updatedMachineCount: updated, configuration: { name: 'V1' } },
    })
    for (const tell of this.#told) tell()
  }

  /** What was printed since the last look. */
  printed(): string {
    const { out } = this
    this.out = ''
    return out
  }
}

describe('without a terminal', () => {
  it('each change is a line, and many at once are told together', async () => {
    const stage = new Stage()
    stage.pool('worker', 0)
    stage.pool('worker', 1)
    expect(stage.printed()).toBe('')
    await stage.clock.advance(250)
    expect(stage.printed()).toBe('pool worker: Updating 1/2 in V1\n')
    stage.pool('worker', 1)
    await stage.clock.advance(250)
    expect(stage.printed()).toBe('')
    stage.pool('worker', 2)
    stage.leave()
    expect(stage.printed()).toBe('pool worker: Updating 2/2 in V1\n')
    stage.pool('worker', 1)
    await stage.clock.advance(1000)
    expect(stage.printed()).toBe('')
  })
})

describe('on a terminal', () => {
  it('the picture is drawn over what was drawn before, and only if it looks different', async () => {
    const stage = new Stage({ columns: 80, rows: 24 })
    stage.pool('worker', 0)
    await stage.clock.advance(250)
    expect(stage.printed()).toBe('worker       Updating  0/2    V1\u001b[K\n\u001b[J')
    stage.pool('worker', 0)
    await stage.clock.advance(250)
    expect(stage.printed()).toBe('')
    stage.pool('worker', 1)
    await stage.clock.advance(250)
    expect(stage.printed()).toBe('\u001b[1Fworker       Updating  1/2    V1\u001b[K\n\u001b[J')
  })

  it('the first heading that fits stays above the picture', async () => {
    const headings = ['export KUBECONFIG=/a/long/path/kubeconfig', 'export KUBECONFIG=kubeconfig']
    const stage = new Stage({ columns: 30, rows: 24 }, headings)
    stage.pool('worker', 0)
    await stage.clock.advance(250)
    expect(stage.printed().split('\u001b[K\n').slice(0, 3)).toEqual([
      'export KUBECONFIG=kubeconfig',
      '',
      'worker       Updating  0/2   …',
    ])
  })

  it('a resized terminal is cleared and drawn again', async () => {
    const listeners = new Set<() => void>()
    const window = {
      columns: 80,
      rows: 24,
      on: (_event: 'resize', listener: () => void) => listeners.add(listener),
      off: (_event: 'resize', listener: () => void) => listeners.delete(listener),
    }
    const stage = new Stage(window)
    stage.pool('worker', 0)
    await stage.clock.advance(250)
    stage.printed()
    window.columns = 40
    for (const resized of listeners) resized()
    await stage.clock.advance(250)
    expect(stage.printed()).toBe(
      '\u001b[H\u001b[2Jworker       Updating  0/2    V1\u001b[K\n\u001b[J',
    )
    stage.leave()
    expect(listeners.size).toBe(0)
  })

  it('no more is drawn than fits', async () => {
    const stage = new Stage({ columns: 80, rows: 7 })
    for (const name of ['a', 'b', 'c', 'd', 'e']) stage.pool(name, 0)
    await stage.clock.advance(250)
    const lines = stage.printed().trimEnd().split('\n')
    expect(lines).toHaveLength(6)
    expect(lines[4]).toBe('… and 5 more lines\u001b[K')
  })
})
