import type { Paint, Style } from '../style.ts'
import { day, moment } from '../../views/certs/life.ts'
import type { Canvas, Piece } from './layout.ts'
import { beside, endingLine, line } from './layout.ts'
import { plural } from '../../views/wording.ts'
import { nodesLines } from './nodes-picture.ts'
import type { PhaseProgress, Progress } from '../../views/rotate/progress.ts'
import { clockTime, lasting } from '../../views/rotate/times.ts'

const mostCertificates = 4
const mostEvents = 3

/** Pure: how far it is, as a picture that is redrawn. No line is longer than the canvas is wide. */
export function picture(progress: Progress, canvas: Canvas): string[] {
  const blocks = [
    heading(progress, canvas),
    phaseLines(progress.phases, canvas),
    [...troubleLines(progress, canvas), ...waitingLines(progress, canvas)],
    nodesLines(progress, canvas),
    certificateLines(progress, canvas),
    eventLines(progress, canvas),
  ]
  const [first = [], ...others] = blocks.filter((block) => block.length > 0)
  return others.reduce((above, block) => above.concat('', block), first)
}

function heading(progress: Progress, { style, width }: Canvas): string[] {
  const { rotation, phase, current, isBack, began, now } = progress
  const since = began === undefined || phase === 'Completed' ? '' : `  ${lasting(now - began)}`
  const ca = current ? `${isBack ? 'back to' : 'CA'} ${current.name}` : ''
  const first: Piece[] = [
    [rotation, style.bold],
    [since, style.dim],
  ]
  if (ca === '') return [line(first, width)]
  const isRoomy = rotation.length + since.length + 2 + ca.length <= width
  return isRoomy ? [line([...first, `  ${ca}`], width)] : [line(first, width), line([ca], width)]
}

const phaseMarks = { over: '✓', now: '●', ahead: '○' } as const

/** Names above, how long they took below; one below the other where the window is very narrow. */
function phaseLines(phases: readonly PhaseProgress[], { style, width }: Canvas): string[] {
  const shown = phases.map(({ phase, state, ms }) => ({
    text: `${phaseMarks[state]} ${phase}`,
    time: ms === undefined ? '' : lasting(ms),
    state,
    paint: paintOf(state, style),
  }))
  const bare = shown.reduce((sum, { text }) => sum + text.length, 0)
  const gaps = shown.length - 1
  if (bare + gaps > width) {
    return shown.map(({ text, time, paint }) =>
      line(
        [
          [text.padEnd(13), paint],
          [time, style.dim],
        ],
        width,
      ),
    )
  }
  const isWide = bare + gaps * 4 <= width
  const names: Piece[] = []
  let times = ''
  let at = 0
  for (const [i, { text, time, state, paint }] of shown.entries()) {
    if (i > 0) {
      const gap = !isWide ? ' ' : state === 'ahead' ? ' ── ' : ' ━━ '
      names.push([gap, style.dim])
      at += gap.length
    }
    names.push([text, paint])
    // A time that is longer than its phase's name moves the next one on.
    if (time !== '') times = `${times.padEnd(at + 2)}${times.length > at + 2 ? ' ' : ''}${time}`
    at += text.length
  }
  const below = line([[times, style.dim]], width)
  return [line(names, width), ...(below === '' ? [] : [below])]
}

function paintOf(state: PhaseProgress['state'], style: Style): Paint {
  const paints = {
    over: style.green,
    now: (text: string) => style.bold(style.cyan(text)),
    ahead: style.dim,
  }
  return paints[state]
}

function troubleLines(progress: Progress, canvas: Canvas): string[] {
  const { style } = canvas
  const { degraded, unheardSince, now } = progress
  return [
    ...(degraded === undefined ? [] : beside(['! ', style.red], degraded, canvas, style.red, 4)),
    ...(unheardSince === undefined
      ? []
      : beside(
          ['! ', style.yellow],
          `the API server has not answered since ${moment(unheardSince, now)}: this is how it was then`,
          canvas,
          style.yellow,
        )),
  ]
}

function waitingLines(progress: Progress, canvas: Canvas): string[] {
  const { phase, askedAt, now, waitsFor, isForNodes, nodes } = progress
  if (phase === undefined) {
    const since = askedAt === undefined ? '' : ` (${lasting(now - askedAt)})`
    return beside('', `waits for the signer${since}`, canvas)
  }
  return waitsFor && !(isForNodes && nodes) ? beside('', waitsFor, canvas, undefined, 2) : []
}

function certificateLines({ certificates, phase, isBack }: Progress, canvas: Canvas): string[] {
  const { style, width } = canvas
  if (certificates.length === 0 || phase === undefined) return []
  const ca = isBack ? 'previous CA' : 'new CA'
  const shown = certificates.slice(0, mostCertificates).map(({ object, isDone }) => {
    const [mark, paint] = isDone ? (['✓ ', style.green] as const) : (['○ ', style.dim] as const)
    const remark = isDone ? `  signed by the ${ca}` : `  not signed by the ${ca} yet`
    // The mark says the same.
    const isRoomy = mark.length + object.length + remark.length <= width
    return line([[mark, paint], object, isRoomy ? [remark, style.dim] : ''], width)
  })
  const more = certificates.length - shown.length
  if (more <= 0) return shown
  const done = certificates.filter(({ isDone }) => isDone).length
  const rest = `  and ${more} more; ${done} of ${certificates.length} are signed by the ${ca}`
  return [...shown, line([[rest, style.dim]], width)]
}

function eventLines({ events }: Progress, { style, width }: Canvas): string[] {
  return events
    .slice(-mostEvents)
    .map(({ at, reason, message }) =>
      endingLine([[`${clockTime(at)}  `, style.dim], `${reason}  `], [message, style.dim], width),
    )
}

/** Pure: what it came to. */
export function summaryLines(progress: Progress, canvas: Canvas): string[] {
  const { style, width } = canvas
  const { rotation, current, began, phases, now, isBack } = progress
  const took = began === undefined ? '' : ` in ${lasting(now - began)}`
  const verb =
    began === undefined ? 'is completed' : isBack ? 'is back at its previous CA' : 'is rotated'
  const lines = [line([[`✓ ${rotation} ${verb}${took}`, style.green]], width)]
  const say = (text: string): void => {
    lines.push(...beside('  ', text, canvas))
  }
  const times = phases.flatMap(({ phase, ms }) =>
    ms === undefined ? [] : [`${phase} ${lasting(ms)}`],
  )
  if (times.length > 0) say(times.join(', '))
  say(worked(progress))
  if (!current) return lines
  say(`CA ${current.name}, until ${day(current.notAfter)}`)
  // Whole, to be copied.
  const { fingerprint } = current
  const parts = width >= 66 ? [fingerprint] : [fingerprint.slice(0, 32), fingerprint.slice(32)]
  lines.push(...parts.map((part) => line([[`  ${part}`, style.dim]], width)))
  return lines
}

/** `7 nodes, 14 files written, 7 kubelets restarted` */
function worked({ nodes, files, restarts }: Progress): string {
  const parts = [
    ...(nodes ? [plural(nodes.total, 'node')] : []),
    `${plural(files, 'file')} written`,
    restarts === 0 ? 'no kubelet restarted' : `${plural(restarts, 'kubelet')} restarted`,
  ]
  return parts.join(', ')
}
