import { arrivals, counted, listed, range, seconds, sum } from './counts.ts'
import type { Comparison, NodeRotation, ComparedRotation } from './facts.ts'

/** Pure: the conclusion of each group in sentences, from measured values only. */
export function signerVerdict({ rendered, direct }: Comparison): string[] {
  const looks = [rendered, direct].map(({ issuerOnly }) => issuerOnly)
  const looked = seconds(Math.min(...looks.map((each) => each.seconds)))
  const files = sum(looks.map(({ filesWritten }) => filesWritten))
  const without = looks.some(({ rotated }) => rotated)
    ? 'created a new CA, which is wrong'
    : files > 0
      ? `created no new CA, but ${counted(files, 'file')} on nodes changed`
      : `changed nothing within ${looked}`
  const isCreated = [rendered, direct].every(({ authority }) => authority)
  return [
    `Removing certificate-issuer ${without}; removing certificate-not-after ${isCreated ? 'created a new CA' : 'did not always create a new CA'}.`,
  ]
}

export function apiVerdict({ pools, rendered, direct }: Comparison): string[] {
  const text = (rotation: ComparedRotation): string => {
    const { newConfigs } = rotation
    const isOneEach =
      newConfigs.length === pools.length &&
      pools.every(({ name }) => newConfigs.some(({ pool }) => pool === name))
    const configs = `${counted(newConfigs.length, 'new config')}${isOneEach ? ', one for each pool' : ''}`
    const requests = range(
      running(rotation).map((node) => node.requests.reads + node.requests.writes),
    )
    return `${configs}, and ${requests} requests by each node`
  }
  return [`Rendered: ${text(rendered)}. Direct: ${text(direct)}.`]
}

export function nodesVerdict({ rendered, direct }: Comparison): string[] {
  const harm = [harmOf(rendered), harmOf(direct)] as const
  const disturbed =
    harm[0] === '' && harm[1] === ''
      ? 'With both deliveries no node is cordoned, drained or rebooted, and no service is restarted or reloaded.'
      : `Rendered: ${harm[0] || 'no disruption'}. Direct: ${harm[1] || 'no disruption'}.`
  const [one, other] = [filesOf(rendered), filesOf(direct)]
  const files =
    one === other
      ? `Both write ${one}.`
      : `Rendered delivery writes ${one}, direct delivery ${other}.`
  return [`${disturbed} ${files}`, ...mcoDifferences(rendered, direct)]
}

export function pausedVerdict({ pools, rendered, direct }: Comparison): string[] {
  const paused = pools.filter((pool) => pool.paused).map(({ name }) => name)
  const text = ({ nodes, end }: ComparedRotation): string => {
    const lacking = nodes.filter((node) => node.paused && !node.trusts).map(({ name }) => name)
    const having =
      lacking.length === 0 ? 'every node has the new CA' : `no new CA on ${listed(lacking)}`
    if (end.phase === 'Completed') return `${having}, and the rotation is completed`
    const isSame = end.laggards.length > 0 && listed(end.laggards) === listed(lacking)
    const awaited = isSame ? 'them' : listed(end.laggards) || 'something else'
    return `${having}, and the rotation waits for ${awaited}`
  }
  return [`Pool ${listed(paused)} is paused. Rendered: ${text(rendered)}. Direct: ${text(direct)}.`]
}

export function timeVerdict({ speed, rendered, direct }: Comparison): string[] {
  const [one, other] = [arrivals(rendered).at(-1), arrivals(direct).at(-1)]
  const order =
    one === undefined || other === undefined
      ? 'Not every rotation reached its nodes.'
      : `All nodes that receive the new CA had it after ${seconds(one)} (rendered) and ${seconds(other)} (direct).`
  if (speed === 1) return [order, 'Waiting times were not shortened.']
  return [
    order,
    `Waiting times were divided by ${speed}: collecting changes before a render, spreading reads over nodes, retries. Work was not. At --speed 1 the duration is between the last two rows.`,
  ]
}

const running = ({ nodes }: ComparedRotation): NodeRotation[] =>
  nodes.filter(({ paused }) => !paused)

function harmOf({ nodes, evictions }: ComparedRotation): string {
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

/** The files that nodes outside paused pools have written. */
function filesOf(rotation: ComparedRotation): string {
  const paths = new Set(running(rotation).flatMap(({ written }) => written))
  return paths.size === 0 ? 'no file' : listed([...paths].toSorted())
}

/** Where OpenShift's MCO does more: its users would expect the same log lines. */
function mcoDifferences(
  rendered: ComparedRotation,
  { controllerConfigWrites }: ComparedRotation,
): string[] {
  const [config] = rendered.newConfigs
  const size = config && `${counted(config.files, 'file')} and ${counted(config.units, 'unit')}`
  return [
    ...(size === undefined
      ? []
      : [
          `OpenShift 4.12 writes everything in a new config, here ${size}, and reloads systemd; Machinist writes only the differences.`,
        ]),
    ...(controllerConfigWrites < 2
      ? []
      : [
          `OpenShift 4.16 rewrites its files on every write to ControllerConfig, here ${controllerConfigWrites} times; Machinist only when they differ.`,
        ]),
  ]
}
