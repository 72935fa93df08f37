import { timestamp } from '@machinist/core/timestamp'
import { day } from '../../views/certs/life.ts'
import type { Forecast } from '../../views/rotate/forecast.ts'
import type { Canvas } from './layout.ts'
import { beside, line } from './layout.ts'
import { count, plural } from '../../views/wording.ts'
import { lasting } from '../../views/rotate/times.ts'

/** How many nodes are named. */
const mostNamed = 8

/** Pure: what would happen, for people. */
export function forecastLines(forecast: Forecast, canvas: Canvas): string[] {
  const { style, width } = canvas
  const { rotation, signer, current, signed } = forecast
  const label = (name: string): readonly [string, typeof style.dim] => [
    `  ${name}`.padEnd(14),
    style.dim,
  ]
  const lines = [line([[`Rotation of ${rotation}`, style.bold]], width)]
  const say = (name: string, text: string): void => {
    lines.push(...beside(label(name), text, canvas))
  }
  const warn = (text: string): void => {
    lines.push(...beside(label(''), `! ${text}`, canvas, style.yellow))
  }
  say('signer', signer)
  say('now', current ? `${current.name}, until ${day(current.notAfter)}` : notKnown)
  say('nodes', nodesText(forecast))
  for (const { node, why } of forecast.slow.slice(0, mostNamed)) {
    warn(`${node} will hold it up: ${why}`)
  }
  const more = forecast.slow.length - mostNamed
  if (more > 0) warn(`and ${plural(more, 'more node')}`)
  for (const { pool, nodes } of forecast.held) {
    warn(
      `pool ${pool} is paused: its ${plural(nodes, 'node')} will have the new CA only after that`,
    )
  }
  say('restarts', restartsText(forecast))
  say('signs anew', signed.length === 0 ? 'nothing' : signed.join(', '))
  if (forecast.trustedBy) say('takes', `${lasting(forecast.leastMs)} at least`)
  return lines
}

const notKnown = 'not known: no signer has looked at it yet'

function nodesText({ trustedBy, nodes, isRendered }: Forecast): string {
  if (!trustedBy) {
    return 'none has to follow: time alone decides when certificates are signed by the new CA, and the old one stays until it ends'
  }
  if (nodes === undefined) return 'you may not read them: how many have to follow is not known'
  const way = isRendered ? '; it comes to them with MachineConfigs, pool by pool' : ''
  return `${count(nodes)} ${nodes === 1 ? 'has' : 'have'} to trust the new CA before anything is signed by it${way}`
}

function restartsText({ restarts, trustedBy }: Forecast): string {
  if (restarts === 'kubelets') {
    return 'kubelets, in turns: those of the control plane one after the other, and ten others at once, or 2 % of them; pods go on'
  }
  return trustedBy ? 'none: kubelets load the new CA by themselves' : 'none'
}

/** The same for programs. */
export function forecastData(forecast: Forecast): object {
  const { rotation, signer, current, trustedBy, nodes, slow, held, restarts, signed } = forecast
  return {
    rotation,
    signer,
    ...(current && { current: { ...current, notAfter: timestamp(current.notAfter) } }),
    ...(trustedBy && { trustedBy }),
    ...(nodes !== undefined && { nodes }),
    delivery: forecast.isRendered ? 'rendered' : 'direct',
    slowNodes: slow,
    pausedPools: held,
    restarts,
    signs: signed,
    atLeastSeconds: Math.round(forecast.leastMs / 1000),
    against: forecast.against,
  }
}
