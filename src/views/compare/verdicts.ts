import { arrivals, counted, listed, range, seconds, sum } from './counts.ts'
import type { Comparison, NodeRotation, Rotation } from './facts.ts'

/** Pure: what the numbers of each group come to, in sentences. Nothing is said that was not counted. */
export function signerVerdict({ rendered, direct }: Comparison): string[] {
  const looks = [rendered, direct].map(({ issuerOnly }) => issuerOnly)
  const looked = seconds(Math.min(...looks.map((each) => each.seconds)))
  const files = sum(looks.map(({ filesWritten }) => filesWritten))
  const without = looks.some(({ rotated }) => rotated)
    ? 'made a new CA, which it should not'
    : files > 0
      ? `made no new CA, but ${counted(files, 'file')} on nodes changed`
      : `changed nothing within ${looked}`
  const made = [rendered, direct].every(({ authority }) => authority)
  return [
    `Taking certificate-issuer away ${without}; taking certificate-not-after away ${made ? 'made a new CA' : 'did not always make a new CA'}.`,
  ]
}

export function apiVerdict({ pools, rendered, direct }: Comparison): string[] {
  const said = (rotation: Rotation): string => {
    const { newConfigs } = rotation
    const isOneEach =
      newConfigs.length === pools.length &&
      pools.every(({ name }) => newConfigs.some(({ pool }) => pool === name))
    const made = `${counted(newConfigs.length, 'new config')}${isOneEach ? ', one for each pool' : ''}`
    const asked = range(running(rotation).map(({ requests }) => requests.reads + requests.writes))
    return `${made}, and ${asked} requests by each node`
  }
  return [`Rendered: ${said(rendered)}. Direct: ${said(direct)}.`]
}

export function nodesVerdict({ rendered, direct }: Comparison): string[] {
  const harm = [harmOf(rendered), harmOf(direct)] as const
  const disturbed =
    harm[0] === '' && harm[1] === ''
      ? 'Either way nobody is cordoned, drained or rebooted, and no service is restarted or reloaded.'
      : `Rendered: ${harm[0] || 'nobody disturbed'}. Direct: ${harm[1] || 'nobody disturbed'}.`
  const [one, other] = [filesOf(rendered), filesOf(direct)]
  const files =
    one === other
      ? `Both write ${one}.`
      : `Rendered delivery writes ${one}, direct delivery ${other}.`
  return [`${disturbed} ${files}`, ...originals(rendered, direct)]
}

export function pausedVerdict({ pools, rendered, direct }: Comparison): string[] {
  const paused = pools.filter((pool) => pool.paused).map(({ name }) => name)
  const said = ({ nodes, end }: Rotation): string => {
    const lacking = nodes.filter((node) => node.paused && !node.trusts).map(({ name }) => name)
    const having =
      lacking.length === 0 ? 'every node has the new CA' : `no new CA on ${listed(lacking)}`
    if (end.phase === 'Completed') return `${having}, and the rotation is over`
    const isSame = end.laggards.length > 0 && listed(end.laggards) === listed(lacking)
    const awaited = isSame ? 'them' : listed(end.laggards) || 'something else'
    return `${having}, and the rotation waits for ${awaited}`
  }
  return [`Pool ${listed(paused)} is paused. Rendered: ${said(rendered)}. Direct: ${said(direct)}.`]
}

export function timeVerdict({ speed, rendered, direct }: Comparison): string[] {
  const [one, other] = [arrivals(rendered).at(-1), arrivals(direct).at(-1)]
  const order =
    one === undefined || other === undefined
      ? 'Not every rotation came to its nodes.'
      : `Whoever was to have the new CA had it after ${seconds(one)} (rendered) and ${seconds(other)} (direct).`
  if (speed === 1) return [order, 'Nothing was hurried.']
  return [
    order,
    `Waits were over ${speed} times faster than usual: gathering changes before a render, spreading reads over nodes, retries. Work was not. So without hurry it takes something between the last two rows.`,
  ]
}

const running = ({ nodes }: Rotation): NodeRotation[] => nodes.filter(({ paused }) => !paused)

function harmOf({ nodes, evictions }: Rotation): string {
  const total = (count: (node: NodeRotation) => number): number => sum(nodes.map(count))
  const kinds: readonly [number, string][] = [
    [total(({ cordons }) => cordons), 'cordon'],
    [total(({ drains }) => drains), 'drain'],
    [evictions, 'eviction'],
    [total(({ services }) => services.reboots), 'reboot'],
    [total(({ services }) => services.services.length), 'restart or reload of services'],
  ]
  return kinds
    .filter(([number]) => number > 0)
    .map(([number, what]) => (what.includes(' ') ? `${number} × ${what}` : counted(number, what)))
    .join(', ')
}

/** The files that nodes outside paused pools have written, all of them together. */
function filesOf(rotation: Rotation): string {
  const paths = new Set(running(rotation).flatMap(({ written }) => written))
  return paths.size === 0 ? 'no file' : listed([...paths].toSorted())
}

/** Where OpenShift's own daemons do more than ours: people who know their logs would miss it. */
function originals(rendered: Rotation, { controllerConfigWrites }: Rotation): string[] {
  const [config] = rendered.newConfigs
  const size = config && `${counted(config.files, 'file')} and ${counted(config.units, 'unit')}`
  return [
    ...(size === undefined
      ? []
      : [
          `OpenShift 4.12 itself writes all that a new config holds, here ${size}, and systemd reloads for it; Machinist writes what differs.`,
        ]),
    ...(controllerConfigWrites < 2
      ? []
      : [
          `OpenShift 4.16 itself writes its files again whenever ControllerConfig was written, here ${controllerConfigWrites} times; Machinist when they differ.`,
        ]),
  ]
}
