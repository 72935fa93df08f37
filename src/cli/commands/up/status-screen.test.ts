import { describe, expect, it } from 'vitest'
import { VirtualClock } from '@machinist/core/virtual-clock'
import type { MachineConfigPool } from '../../../api/kinds/resources.ts'
import { plainStyle } from '../../text/style.ts'
import type { ScreenOptions } from './status-screen.ts'
import { showStatus } from './status-screen.ts'

const empty = { list: () => [], get: () => undefined, subscribe: () => () => {} }

/** A status screen with pools that the test changes. */
class ScreenFixture {
  readonly clock = new VirtualClock()
  out = ''
  readonly #pools = new Map<string, MachineConfigPool>()
  readonly #handlers = new Set<() => void>()
  readonly close: () => void

  constructor(window?: ScreenOptions['window'], headings?: string[]) {
    const pools = {
      list: () => [...this.#pools.values()],
      get: () => undefined,
      subscribe: (handler: unknown) => {
        const notify = handler as () => void
        this.#handlers.add(notify)
        return () => void this.#handlers.delete(notify)
      },
    }
    const out = (text: string): void => {
      this.out += text
    }
    this.close = showStatus(
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
    for (const notify of this.#handlers) notify()
  }

  /** The output since the last call. */
  printed(): string {
    const { out } = this
    this.out = ''
    return out
  }
}

describe('without a terminal', () => {
  it('prints one line per change, and collects simultaneous changes', async () => {
    const screen = new ScreenFixture()
    screen.pool('worker', 0)
    screen.pool('worker', 1)
    expect(screen.printed()).toBe('')
    await screen.clock.advance(250)
    expect(screen.printed()).toBe('pool worker: Updating 1/2 in V1\n')
    screen.pool('worker', 1)
    await screen.clock.advance(250)
    expect(screen.printed()).toBe('')
    screen.pool('worker', 2)
    screen.close()
    expect(screen.printed()).toBe('pool worker: Updating 2/2 in V1\n')
    screen.pool('worker', 1)
    await screen.clock.advance(1000)
    expect(screen.printed()).toBe('')
  })
})

describe('on a terminal', () => {
  it('draws over the previous picture, and only if it differs', async () => {
    const screen = new ScreenFixture({ columns: 80, rows: 24 })
    screen.pool('worker', 0)
    await screen.clock.advance(250)
    expect(screen.printed()).toBe('worker       Updating  0/2    V1\u001b[K\n\u001b[J')
    screen.pool('worker', 0)
    await screen.clock.advance(250)
    expect(screen.printed()).toBe('')
    screen.pool('worker', 1)
    await screen.clock.advance(250)
    expect(screen.printed()).toBe('\u001b[1Fworker       Updating  1/2    V1\u001b[K\n\u001b[J')
  })

  it('keeps the first heading that fits above the picture', async () => {
    const headings = ['export KUBECONFIG=/a/long/path/kubeconfig', 'export KUBECONFIG=kubeconfig']
    const screen = new ScreenFixture({ columns: 30, rows: 24 }, headings)
    screen.pool('worker', 0)
    await screen.clock.advance(250)
    expect(screen.printed().split('\u001b[K\n').slice(0, 3)).toEqual([
      'export KUBECONFIG=kubeconfig',
      '',
      'worker       Updating  0/2   …',
    ])
  })

  it('clears and redraws a resized terminal', async () => {
    const listeners = new Set<() => void>()
    const window = {
      columns: 80,
      rows: 24,
      on: (_event: 'resize', listener: () => void) => listeners.add(listener),
      off: (_event: 'resize', listener: () => void) => listeners.delete(listener),
    }
    const screen = new ScreenFixture(window)
    screen.pool('worker', 0)
    await screen.clock.advance(250)
    screen.printed()
    window.columns = 40
    for (const resized of listeners) resized()
    await screen.clock.advance(250)
    expect(screen.printed()).toBe(
      '\u001b[H\u001b[2Jworker       Updating  0/2    V1\u001b[K\n\u001b[J',
    )
    screen.close()
    expect(listeners.size).toBe(0)
  })

  it('draws only the lines that fit', async () => {
    const screen = new ScreenFixture({ columns: 80, rows: 7 })
    for (const name of ['a', 'b', 'c', 'd', 'e']) screen.pool(name, 0)
    await screen.clock.advance(250)
    const lines = screen.printed().trimEnd().split('\n')
    expect(lines).toHaveLength(6)
    expect(lines[4]).toBe('… and 5 more lines\u001b[K')
  })
})
