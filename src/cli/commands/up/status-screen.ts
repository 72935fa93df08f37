import type { Clock } from '@machinist/core/clock'
import type { Informer } from '@machinist/kube/informer/informer'
import type { Style } from '../../text/style.ts'
import { escapeControls } from '../../text/style.ts'
import type { Window } from '../../text/redraw.ts'
import { visibleLines, createRedraw, widthOf } from '../../text/redraw.ts'
import type { ClusterCaches } from '../../../devcluster/cluster-caches.ts'
import type { ClusterStatus } from '../../../views/status/cluster-status.ts'
import { clusterStatus } from '../../../views/status/cluster-status.ts'
import { statusChanges } from '../../../views/status/changes.ts'
import { statusPicture } from './status-text.ts'

export interface ScreenOptions {
  readonly out: (text: string) => void
  readonly clock: Clock
  readonly style: Style
  /** The terminal, if the output is one. */
  readonly window?: Window
  /** Candidates for the line above the status; the first one that fits the terminal is shown. */
  readonly headings?: readonly string[]
}

type StatusCaches = {
  readonly [
    Kind in 'pools' | 'nodes' | 'machineConfigNodes' | 'rotations' | 'controllerConfigs'
  ]: ClusterCaches[Kind] extends Informer<infer T>
    ? Pick<Informer<T>, 'list' | 'get' | 'subscribe'>
    : never
}

/** Collects the changes of this time into one update. */
const debounceMs = 250

/** Shows the status of the cluster on every change: redrawn in place on a terminal, otherwise line by line. */
export function showStatus(caches: StatusCaches, options: ScreenOptions): () => void {
  const { clock } = options
  const show = options.window ? redrawStatus(options) : printChanges(options)
  let isDue = false
  const update = (): void => {
    isDue = false
    const { pools, nodes, machineConfigNodes, rotations, controllerConfigs } = caches
    show(
      clusterStatus({
        pools: pools.list(),
        nodes: nodes.list(),
        machineConfigNode: (name) => machineConfigNodes.get(name),
        rotations: rotations.list(),
        controllerConfigs: controllerConfigs.list(),
      }),
    )
  }
  let cancel = (): void => {}
  const schedule = (): void => {
    if (isDue) return
    isDue = true
    cancel = clock.after(debounceMs, update)
  }
  const subscriptions = [
    caches.pools.subscribe(schedule),
    caches.nodes.subscribe(schedule),
    caches.machineConfigNodes.subscribe(schedule),
    caches.rotations.subscribe(schedule),
    caches.controllerConfigs.subscribe(schedule),
  ]
  options.window?.on?.('resize', schedule)
  return () => {
    options.window?.off?.('resize', schedule)
    for (const unsubscribe of subscriptions) unsubscribe()
    cancel()
    if (isDue) update()
  }
}

type Show = (status: ClusterStatus) => void

function printChanges({ out }: ScreenOptions): Show {
  let previous: ClusterStatus | undefined
  return (status) => {
    for (const line of statusChanges(previous, status)) out(`${escapeControls(line)}\n`)
    previous = status
  }
}

/** Longer lines are hard to read. */
const maxColumns = 120

function redrawStatus({ out, style, window, headings = [] }: ScreenOptions): Show {
  const draw = createRedraw(out, window!)
  return (status) => {
    const width = Math.min(widthOf(window!), maxColumns)
    const heading = headings.find(({ length }) => length <= widthOf(window!))
    const top = heading === undefined ? [] : [style.dim(heading), '']
    const lines = visibleLines(window!) - top.length
    draw([...top, ...statusPicture(status, { style, width, lines })])
  }
}
