import { trustItems } from '../../api/trust/items.ts'
import { InvalidInput } from '@machinist/core/errors'
import type { KubeClient } from '@machinist/kube/client'
import { day, moment } from '../../views/certs/life.ts'
import { askSigner, excuse, forANewCA, forThePreviousCA } from './act.ts'
import { authorityOf, previousOf } from '../../views/rotate/authority.ts'
import type { RotationFacts } from '../../views/rotate/facts.ts'
import { degradation, forecastOf } from '../../views/rotate/forecast.ts'
import { forecastData, forecastLines } from './forecast-text.ts'
import type { Canvas } from './layout.ts'
import { beside, line } from './layout.ts'
import { plural } from '../../views/wording.ts'
import { counts, standingsOf } from '../../views/rotate/node-standing.ts'

/** What is going to be done. */
export interface Plan {
  readonly action: 'rotate' | 'back' | 'without'
  readonly lines: (canvas: Canvas) => string[]
  readonly data: object
  /** Why it should not be done now. */
  readonly against: readonly string[]
  /** With `dryRun` the API server tells whether it may be done, and does not. */
  readonly act: (client: KubeClient, dryRun: boolean) => Promise<void>
}

/** Pure until it is acted on: a new CA. */
export function planToRotate(facts: RotationFacts): Plan {
  const forecast = forecastOf(facts)
  return {
    action: 'rotate',
    lines: (canvas) => forecastLines(forecast, canvas),
    data: forecastData(forecast),
    against: forecast.against,
    act: (client, dryRun) => askSigner(client, facts.rotation, forANewCA, dryRun),
  }
}

/** Pure until it is acted on: the CA before the current one. */
export function planToGoBack({ rotation, now }: RotationFacts): Plan {
  const { metadata, status } = rotation
  const current = status?.current
  const previous = status && previousOf(status)
  if (!status || !current || !previous) throw new InvalidInput(noPrevious(metadata.name))
  const from = authorityOf(current)
  const degraded = degradation(rotation, now)
  const lines = (canvas: Canvas): string[] => [
    line([[`${metadata.name} goes back to its previous CA`, canvas.style.bold]], canvas.width),
    ...beside('  from  ', `${from.name}, until ${day(from.notAfter)}`, canvas),
    ...beside('  to    ', `${previous.name}, until ${day(previous.notAfter)}`, canvas),
    ...beside(
      '  ',
      'Certificates are signed by the previous CA again, and the current one goes once nothing needs it. Nodes trust both until then.',
      canvas,
    ),
  ]
  return {
    action: 'back',
    lines,
    data: { rotation: metadata.name, from: current.fingerprint, to: previous.fingerprint },
    against: degraded === undefined ? [] : [degraded],
    act: (client, dryRun) =>
      askSigner(client, rotation, forThePreviousCA(current.fingerprint), dryRun),
  }
}

const noPrevious = (name: string): string =>
  `there is no previous CA that ${name} could go back to: it goes as soon as a rotation is completed. machinist rotate ${name} makes a new one.`

/** Pure until it is acted on: nodes that are not waited for. */
export function planWithout(facts: RotationFacts, names: readonly string[]): Plan {
  const { rotation, now, nodes } = facts
  const { metadata, spec, status } = rotation
  const current = status?.current
  if (!spec.trustedBy) {
    throw new InvalidInput(`${metadata.name} waits for no node: spec.trustedBy is not set`)
  }
  if (!current || !status.phase || status.phase === 'Completed') {
    throw new InvalidInput(`${metadata.name} waits for no node: no rotation is under way`)
  }
  const known = nodes && new Set(nodes.filter(counts).map((node) => node.metadata.name))
  const unknown = known ? names.filter((name) => !known.has(name)) : []
  if (unknown.length > 0) {
    throw new InvalidInput(
      `there is no node ${unknown.join(', ')}; kubectl get trustrotation ${metadata.name} -o yaml tells who is waited for`,
    )
  }
  const standing = new Map((standingsOf(facts) ?? []).map((each) => [each.node, each.standing]))
  const needless = names.filter((name) => standing.get(name) === 'done')
  const since = status.phaseSince ? ` since ${moment(Date.parse(status.phaseSince), now)}` : ''
  const losses = lossOf(spec.trustedBy)
  const lines = (canvas: Canvas): string[] => [
    line(
      [[`${metadata.name} no longer waits for ${plural(names.length, 'node')}`, canvas.style.bold]],
      canvas.width,
    ),
    ...beside('  nodes  ', names.join(', '), canvas),
    ...beside('  phase  ', `${status.phase}${since}`, canvas),
    ...beside('  CA     ', authorityOf(current).name, canvas),
    ...beside('  ', `! ${losses}`, canvas, canvas.style.yellow),
    ...(needless.length === 0
      ? []
      : beside('  ', `nobody waits for ${needless.join(', ')} anyway: it has the CA`, canvas)),
  ]
  return {
    action: 'without',
    lines,
    data: { rotation: metadata.name, authority: current.fingerprint, nodes: names, losses },
    against: [],
    act: (client, dryRun) => excuse(client, rotation, current.fingerprint, names, dryRun),
  }
}

function lossOf(item: string): string {
  return item === trustItems.apiServerCA
    ? 'Until they have the new CA, their kubelets do not know the API server any more: the nodes become NotReady, and their pods are replaced elsewhere. They need the CA before they can come back.'
    : 'Until they have the new CA, their kubelets refuse the API server: kubectl logs, exec and port-forward fail there. Pods go on, and the nodes catch up by themselves when they are back.'
}
