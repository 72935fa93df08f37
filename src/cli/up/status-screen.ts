import type { Clock } from '../../base/clock.ts'
import type { Style } from '../commands/plan-style.ts'
import type { Informer } from '../../kube/informer/informer.ts'
import type { ClusterSight } from './cluster-sight.ts'
import type { ClusterStatus } from './status-facts.ts'
import { clusterStatus } from './status-facts.ts'
import { statusChanges, statusPicture } from './status-text.ts'

export interface ScreenOptions {
  readonly out: (text: string) => void
  readonly clock: Clock
  readonly style: Style
  /** A terminal that can be drawn on, if there is one. */
  readonly window?: { readonly columns: number; readonly rows: number }
}

type Watched = {
  readonly [Kind in 'pools' | 'nodes' | 'machineConfigNodes']: ClusterSight[Kind] extends Informer<
    infer T
  >
    ? Pick<Informer<T>, 'list' | 'get' | 'subscribe'>
    : never
}

/** Many changes come together; nobody reads faster than this. */
const calmMs = 250

/** Shows how the cluster is whenever that changes: redrawn in place on a terminal, else line by line. */
export function showStatus(sight: Watched, options: ScreenOptions): () => void {
  const { clock } = options
  const show = options.window ? drawing(options) : telling(options)
  let isDue = false
  const look = (): void => {
    isDue = false
    const { pools, nodes, machineConfigNodes } = sight
    show(
      clusterStatus({
        pools: pools.list(),
        nodes: nodes.list(),
        machineConfigNode: (name) => machineConfigNodes.get(name),
      }),
    )
  }
  let cancel = (): void => {}
  const soon = (): void => {
    if (isDue) return
    isDue = true
    cancel = clock.after(calmMs, look)
  }
  const leave = [
    sight.pools.subscribe(soon),
    sight.nodes.subscribe(soon),
    sight.machineConfigNodes.subscribe(soon),
  ]
  return () => {
    for (const unsubscribe of leave) unsubscribe()
    cancel()
    if (isDue) look()
  }
}

type Show = (status: ClusterStatus) => void

function telling({ out }: ScreenOptions): Show {
  let before: ClusterStatus | undefined
  return (status) => {
    for (const line of statusChanges(before, status)) out(`${line}\n`)
    before = status
  }
}

/** Goes back to where the last picture began and draws over it, so that what was printed before stays. */
function drawing({ out, style, window }: ScreenOptions): Show {
  let before: readonly string[] = []
  return (status) => {
    // Some terminals do not know their size.
    const { columns, rows } = { columns: window!.columns || 80, rows: window!.rows || 24 }
    const picture = statusPicture(status, style, Math.min(columns, 100))
    // More than fits could not be drawn over any more.
    const most = Math.max(rows - 2, 5)
    const lines =
      picture.length > most
        ? [...picture.slice(0, most - 1), `… and ${picture.length - most + 1} more lines`]
        : picture
    if (before.length === lines.length && lines.every((line, i) => line === before[i])) return
    const back = before.length > 0 ? `\u001b[${before.length}F` : ''
    out(`${back}${lines.map((line) => `${line}\u001b[K\n`).join('')}\u001b[J`)
    before = lines
  }
}
