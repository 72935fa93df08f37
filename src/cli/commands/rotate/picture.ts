import type { Paint, Style } from '../../text/style.ts'
import { day, moment } from '../../../views/certs/validity.ts'
import type { Canvas, Piece } from '../../text/layout.ts'
import { labelledLines, lineWithEnding, line } from '../../text/layout.ts'
import { plural } from '../../../views/wording.ts'
import type { PhaseProgress, RotationProgress } from '../../../views/rotate/progress.ts'
import { clockTime, durationText } from '../../../views/rotate/times.ts'
import { nodesLines } from './nodes-picture.ts'

const maxCertificates = 4
const maxEvents = 3

/** Pure: the progress as a picture. No line is longer than the canvas is wide. */
export function progressPicture(progress: RotationProgress, canvas: Canvas): string[] {
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

function heading(progress: RotationProgress, { style, width }: Canvas): string[] {
  const { rotation, phase, current, isBack, began, now } = progress
  const since = began === undefined || phase === 'Completed' ? '' : `  ${durationText(now - began)}`
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

/** Names with their durations below; one phase per line in a very narrow window. */
function phaseLines(phases: readonly PhaseProgress[], { style, width }: Canvas): string[] {
  const shown = phases.map(({ phase, state, ms }) => ({
    text: `${phaseMarks[state]} ${phase}`,
    time: ms === undefined ? '' : durationText(ms),
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
    // A duration that is longer than the name of its phase shifts the next one.
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

function troubleLines(progress: RotationProgress, canvas: Canvas): string[] {
  const { style } = canvas
  const { degraded, disconnectedSince, now } = progress
  return [
    ...(degraded === undefined
      ? []
      : labelledLines(['! ', style.red], degraded, canvas, style.red, 4)),
    ...(disconnectedSince === undefined
      ? []
      : labelledLines(
          ['! ', style.yellow],
          `the API server has not answered since ${moment(disconnectedSince, now)}: this is the last known state`,
          canvas,
          style.yellow,
        )),
  ]
}

function waitingLines(progress: RotationProgress, canvas: Canvas): string[] {
  const { phase, requestedAt, now, waitsFor, isWaitingForNodes, nodes } = progress
  if (phase === undefined) {
    const since = requestedAt === undefined ? '' : ` (${durationText(now - requestedAt)})`
    return labelledLines('', `waiting for the signer${since}`, canvas)
  }
  return waitsFor && !(isWaitingForNodes && nodes)
    ? labelledLines('', waitsFor, canvas, undefined, 2)
    : []
}

function certificateLines(
  { certificates, phase, isBack }: RotationProgress,
  canvas: Canvas,
): string[] {
  const { style, width } = canvas
  if (certificates.length === 0 || phase === undefined) return []
  const ca = isBack ? 'previous CA' : 'new CA'
  const shown = certificates.slice(0, maxCertificates).map(({ object, isDone }) => {
    const [mark, paint] = isDone ? (['✓ ', style.green] as const) : (['○ ', style.dim] as const)
    const remark = isDone ? `  signed by the ${ca}` : `  not signed by the ${ca} yet`
    // The mark has the same meaning.
    const isRoomy = mark.length + object.length + remark.length <= width
    return line([[mark, paint], object, isRoomy ? [remark, style.dim] : ''], width)
  })
  const more = certificates.length - shown.length
  if (more <= 0) return shown
  const done = certificates.filter(({ isDone }) => isDone).length
  const rest = `  and ${more} more; ${done} of ${certificates.length} are signed by the ${ca}`
  return [...shown, line([[rest, style.dim]], width)]
}

function eventLines({ events }: RotationProgress, { style, width }: Canvas): string[] {
  return events
    .slice(-maxEvents)
    .map(({ at, reason, message }) =>
      lineWithEnding(
        [[`${clockTime(at)}  `, style.dim], `${reason}  `],
        [message, style.dim],
        width,
      ),
    )
}

/** Pure: the summary of a completed rotation. */
export function summaryLines(progress: RotationProgress, canvas: Canvas): string[] {
  const { style, width } = canvas
  const { rotation, current, began, phases, now, isBack } = progress
  const took = began === undefined ? '' : ` in ${durationText(now - began)}`
  const verb =
    began === undefined ? 'is completed' : isBack ? 'is back to its previous CA' : 'is rotated'
  const lines = [line([[`✓ ${rotation} ${verb}${took}`, style.green]], width)]
  const append = (text: string): void => {
    lines.push(...labelledLines('  ', text, canvas))
  }
  const times = phases.flatMap(({ phase, ms }) =>
    ms === undefined ? [] : [`${phase} ${durationText(ms)}`],
  )
  if (times.length > 0) append(times.join(', '))
  append(workText(progress))
  if (!current) return lines
  append(`CA ${current.name}, until ${day(current.notAfter)}`)
  // In full, so that it can be copied.
  const { fingerprint } = current
  const parts = width >= 66 ? [fingerprint] : [fingerprint.slice(0, 32), fingerprint.slice(32)]
  lines.push(...parts.map((part) => line([[`  ${part}`, style.dim]], width)))
  return lines
}

/** `7 nodes, 14 files written, 7 kubelets restarted` */
function workText({ nodes, files, restarts }: RotationProgress): string {
  const parts = [
    ...(nodes ? [plural(nodes.total, 'node')] : []),
    `${plural(files, 'file')} written`,
    restarts === 0 ? 'no kubelet restarted' : `${plural(restarts, 'kubelet')} restarted`,
  ]
  return parts.join(', ')
}
