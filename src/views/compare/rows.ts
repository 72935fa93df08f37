import { arrivals, counted, listed, range, seconds } from './counts.ts'
import type { Comparison, NodeRotation, ComparedRotation } from './facts.ts'
import { apiVerdict, nodesVerdict, pausedVerdict, signerVerdict, timeVerdict } from './verdicts.ts'

/** Related rows with their conclusion. */
export interface Group {
  readonly title: string
  readonly rows: readonly Row[]
  readonly verdict: readonly string[]
}

export interface Row {
  readonly label: string
  readonly rendered: string
  readonly direct: string
}

/** Pure: both rotations side by side. */
export function groupsOf(comparison: Comparison): Group[] {
  const running = comparison.pools.filter(({ paused }) => !paused).map(({ name }) => name)
  return [
    {
      title: 'The signer',
      rows: both(comparison, [
        [
          'without certificate-issuer',
          ({ issuerOnly }) => (issuerOnly.rotated ? 'new CA' : 'nothing'),
        ],
        ['without certificate-not-after', ({ authority }) => (authority ? 'new CA' : 'nothing')],
      ]),
      verdict: signerVerdict(comparison),
    },
    {
      title: 'The API',
      rows: both(comparison, [
        ['new rendered configs', ({ newConfigs }) => `${newConfigs.length}`],
        ['writes to ControllerConfig', (rotation) => `${rotation.controllerConfigWrites}`],
        ['reads by each node', perNode(({ requests }) => requests.reads)],
        ['writes by each node', perNode(({ requests }) => requests.writes)],
      ]),
      verdict: apiVerdict(comparison),
    },
    {
      title: `Each node of ${listed(running)}`,
      rows: both(comparison, [
        ['syncs', perNode(({ syncs }) => syncs)],
        ['files written', perNode(({ written, removed }) => written.length + removed.length)],
        ['state files of the daemon', perNode(({ notes }) => notes.length)],
        ['systemd reloads', perNode(({ services }) => services.daemonReloads)],
        ['services restarted or reloaded', perNode(({ services }) => services.services.length)],
        ['cordons', perNode(({ cordons }) => cordons)],
        ['drains', perNode(({ drains }) => drains)],
        ['reboots', perNode(({ services }) => services.reboots)],
      ]),
      verdict: nodesVerdict(comparison),
    },
    ...pausedGroup(comparison),
    {
      title: 'Time from the trigger',
      rows: both(comparison, [
        ['first node has the new CA', (rotation) => seconds(arrivals(rotation).at(0))],
        ['last node has it', (rotation) => seconds(arrivals(rotation).at(-1))],
        ...(comparison.speed === 1 ? [] : [atFullTime(comparison.speed)]),
      ]),
      verdict: timeVerdict(comparison),
    },
  ]
}

type Cell = readonly [label: string, (rotation: ComparedRotation) => string]

const both = ({ rendered, direct }: Comparison, cells: readonly Cell[]): Row[] =>
  cells.map(([label, cell]) => ({ label, rendered: cell(rendered), direct: cell(direct) }))

/** For nodes outside paused pools, which have their own group. */
const perNode =
  (count: (node: NodeRotation) => number) =>
  ({ nodes }: ComparedRotation): string =>
    range(nodes.filter(({ paused }) => !paused).map(count))

function pausedGroup(comparison: Comparison): Group[] {
  const paused = comparison.pools.filter((pool) => pool.paused)
  if (paused.length === 0) return []
  const members = ({ nodes }: ComparedRotation): NodeRotation[] =>
    nodes.filter((node) => node.paused)
  const having = (rotation: ComparedRotation): string =>
    `${members(rotation).filter(({ trusts }) => trusts).length} of ${members(rotation).length}`
  const waiting = ({ end }: ComparedRotation): string =>
    end.laggards.length === 0 ? 'no node' : counted(end.laggards.length, 'node')
  return [
    {
      title: `Paused pool ${paused.map(({ name }) => name).join(', ')}`,
      rows: both(comparison, [
        ['nodes with the new CA', having],
        ['syncs', (rotation) => range(members(rotation).map(({ syncs }) => syncs))],
        ['phase of the rotation', ({ end }) => end.phase],
        ['waits for', waiting],
        [
          'nodes with the old CA at the end',
          ({ end, nodes }) => `${end.holdingOld} of ${nodes.length}`,
        ],
      ]),
      verdict: pausedVerdict(comparison),
    },
  ]
}

function atFullTime(speed: number): Cell {
  return [
    'last node at --speed 1, at most',
    (rotation) => {
      const last = arrivals(rotation).at(-1)
      return seconds(last === undefined ? undefined : last * speed)
    },
  ]
}
