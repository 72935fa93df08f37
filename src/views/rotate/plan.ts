import { InvalidInput } from '@machinist/core/errors'
import { trustItems } from '../../api/trust/items.ts'
import { day, moment } from '../certs/validity.ts'
import { count, plural } from '../wording.ts'
import { forecastData } from './as-data.ts'
import { authorityOf, previousOf } from './authority.ts'
import type { RotationFacts } from './facts.ts'
import type { RotationForecast } from './forecast.ts'
import { degradedText, forecastOf } from './forecast.ts'
import { isCounted, standingsOf } from './node-standing.ts'
import { durationText } from './times.ts'

/** The effects of a request, for display before it is sent. */
export interface RotationPlanView {
  readonly action: 'rotate' | 'back' | 'without'
  readonly title: string
  readonly rows: readonly PlanRow[]
  readonly notes: readonly PlanNote[]
  /** The same for programs. */
  readonly data: object
  /** Reasons to reject the request without --force. */
  readonly against: readonly string[]
}

export interface PlanRow {
  readonly label: string
  readonly text: string
  readonly warnings?: readonly string[]
}

export interface PlanNote {
  readonly text: string
  readonly isWarning?: boolean
}

/** How many nodes are named. */
const maxNodes = 8

/** Pure: a new CA. */
export function rotatePlan(facts: RotationFacts): RotationPlanView {
  const forecast = forecastOf(facts)
  const { rotation, signer, current, signed, trustedBy, userDataMs } = forecast
  const duration = { label: 'duration', text: `at least ${durationText(forecast.leastMs)}` }
  return {
    action: 'rotate',
    title: `Rotation of ${rotation}`,
    rows: [
      { label: 'signer', text: signer },
      {
        label: 'current',
        text: current ? `${current.name}, until ${day(current.notAfter)}` : unknown,
      },
      { label: 'nodes', text: nodesText(forecast), warnings: delays(forecast) },
      ...(userDataMs === undefined ? [] : [{ label: 'user data', text: userDataText(userDataMs) }]),
      { label: 'restarts', text: restartsText(forecast) },
      { label: 'reissues', text: signed.length === 0 ? 'nothing' : signed.join(', ') },
      ...(trustedBy || userDataMs !== undefined ? [duration] : []),
    ],
    notes: [],
    data: forecastData(forecast),
    against: forecast.against,
  }
}

const unknown = 'unknown: no signer has processed this TrustRotation yet'

function delays({ slow, held }: RotationForecast): string[] {
  const more = slow.length - maxNodes
  return [
    ...slow.slice(0, maxNodes).map(({ node, why }) => `${node} will delay it: ${why}`),
    ...(more > 0 ? [`and ${plural(more, 'more node')}`] : []),
    ...held.map(
      ({ pool, nodes }) =>
        `pool ${pool} is paused: its ${plural(nodes, 'node')} will get the new CA only when it is resumed`,
    ),
  ]
}

const userDataText = (ms: number): string =>
  `of every pool must contain the new CA for ${durationText(ms)} before it signs anything`

function nodesText({ trustedBy, nodes, isRendered, userDataMs }: RotationForecast): string {
  if (!trustedBy && userDataMs !== undefined) return 'not involved'
  if (!trustedBy) {
    return 'not involved: time alone decides when the new CA signs certificates, and the old CA stays until it expires'
  }
  if (nodes === undefined) return 'unknown: you have no permission to read Nodes'
  const delivery = isRendered ? '; MachineConfigs deliver it, pool by pool' : ''
  return `${count(nodes)} must trust the new CA before it signs anything${delivery}`
}

function restartsText({ restarts, trustedBy }: RotationForecast): string {
  if (restarts === 'kubelets') {
    return 'kubelets, in turns: one control plane node at a time, and ten other nodes at a time, or 2 % of them; pods keep running'
  }
  return trustedBy ? 'none: kubelets reload the new CA by themselves' : 'none'
}

/** Pure: the CA before the current one. */
export function rollbackPlan({ rotation, now }: RotationFacts): RotationPlanView {
  const { metadata, status } = rotation
  const current = status?.current
  const previous = status && previousOf(status)
  if (!status || !current || !previous) throw new InvalidInput(noPrevious(metadata.name))
  const from = authorityOf(current)
  const degraded = degradedText(rotation, now)
  return {
    action: 'back',
    title: `${metadata.name} goes back to its previous CA`,
    rows: [
      { label: 'from', text: `${from.name}, until ${day(from.notAfter)}` },
      { label: 'to', text: `${previous.name}, until ${day(previous.notAfter)}` },
    ],
    notes: [
      {
        text: 'The previous CA signs certificates again, and the current CA is removed once nothing needs it. Nodes trust both until then.',
      },
    ],
    data: { rotation: metadata.name, from: current.fingerprint, to: previous.fingerprint },
    against: degraded === undefined ? [] : [degraded],
  }
}

const noPrevious = (name: string): string =>
  `${name} has no previous CA to go back to: it is removed when a rotation completes. machinist rotate ${name} creates a new CA.`

/** Pure: nodes that the rotation no longer waits for. */
export function exclusionPlan(facts: RotationFacts, names: readonly string[]): RotationPlanView {
  const { rotation, now, nodes } = facts
  const { metadata, spec, status } = rotation
  const current = status?.current
  if (!spec.trustedBy) {
    throw new InvalidInput(`${metadata.name} does not wait for nodes: spec.trustedBy is not set`)
  }
  if (!current || !status.phase || status.phase === 'Completed') {
    throw new InvalidInput(`${metadata.name} does not wait for nodes: no rotation is in progress`)
  }
  const known = nodes && new Set(nodes.filter(isCounted).map((node) => node.metadata.name))
  const missing = known ? names.filter((name) => !known.has(name)) : []
  if (missing.length > 0) {
    throw new InvalidInput(
      `node ${missing.join(', ')} not found; kubectl get trustrotation ${metadata.name} -o yaml lists the nodes that it waits for`,
    )
  }
  const standing = new Map((standingsOf(facts) ?? []).map((each) => [each.node, each.standing]))
  const needless = names.filter((name) => standing.get(name) === 'done')
  const since = status.phaseSince ? ` since ${moment(Date.parse(status.phaseSince), now)}` : ''
  const losses = lossesOf(spec.trustedBy)
  return {
    action: 'without',
    title: `${metadata.name} no longer waits for ${plural(names.length, 'node')}`,
    rows: [
      { label: 'nodes', text: names.join(', ') },
      { label: 'phase', text: `${status.phase}${since}` },
      { label: 'CA', text: authorityOf(current).name },
    ],
    notes: [
      { text: losses, isWarning: true },
      ...(needless.length === 0 ? [] : [{ text: `${needless.join(', ')}: already has the CA` }]),
    ],
    data: { rotation: metadata.name, authority: current.fingerprint, nodes: names, losses },
    against: [],
  }
}

function lossesOf(item: string): string {
  return item === trustItems.apiServerCA
    ? 'Until they have the new CA, their kubelets do not trust the API server: the nodes become NotReady, and their pods are replaced on other nodes. They need the CA before they can rejoin.'
    : 'Until they have the new CA, their kubelets reject the API server: kubectl logs, exec and port-forward fail there. Pods keep running, and the nodes catch up when they are back.'
}
