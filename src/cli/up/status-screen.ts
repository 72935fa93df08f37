import type { Clock } from '@machinist/core/clock'
import type { Style } from '../style.ts'
import type { Informer } from '@machinist/kube/informer/informer'
import type { Window } from '../redraw.ts'
import { linesOf, redrawing, widthOf } from '../redraw.ts'
import type { ClusterSight } from '../../devcluster/cluster-sight.ts'
import type { ClusterStatus } from '../../views/status/status-facts.ts'
import { clusterStatus } from '../../views/status/status-facts.ts'
import { statusChanges, statusPicture } from './status-text.ts'

export interface ScreenOptions {
  readonly out: (text: string) => void
  readonly clock: Clock
  readonly style: Style
  /** A terminal that can be drawn on, if there is one. */
  readonly window?: Window
  /** Stays above the status on a terminal, where what was printed first scrolls away: the first text that fits. */
  readonly headings?: readonly string[]
}

type Watched = {
  readonly [
    Kind in 'pools' | 'nodes' | 'machineConfigNodes' | 'rotations' | 'controllerConfigs'
  ]: ClusterSight[Kind] extends Informer<infer T>
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
    const { pools, nodes, machineConfigNodes, rotations, controllerConfigs } = sight
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
  const soon = (): void => {
    if (isDue) return
    isDue = true
    cancel = clock.after(calmMs, look)
  }
  const leave = [
    sight.pools.subscribe(soon),
    sight.nodes.subscribe(soon),
    sight.machineConfigNodes.subscribe(soon),
    sight.rotations.subscribe(soon),
    sight.controllerConfigs.subscribe(soon),
  ]
  options.window?.on?.('resize', soon)
  return () => {
    options.window?.off?.('resize', soon)
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

/** Longer lines are hard to read. */
const mostColumns = 120

function drawing({ out, style, window, headings = [] }: ScreenOptions): Show {
  const draw = redrawing(out, window!)
  return (status) => {
    const width = Math.min(widthOf(window!), mostColumns)
    const heading = headings.find(({ length }) => length <= widthOf(window!))
    const top = heading === undefined ? [] : [style.dim(heading), '']
    const lines = linesOf(window!) - top.length
    draw([...top, ...statusPicture(status, { style, width, lines })])
  }
}
