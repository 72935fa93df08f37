import {
  certificatesHeld,
  conditionOf,
  inputOfDegraded,
  isCondition,
} from '../../api/conditions.ts'
import { trustItems } from '../../api/trust/items.ts'
import type { CertsFacts } from './facts.ts'
import type { Mood } from './life.ts'
import { dayMs, moment, moodOf, refreshText, span } from './life.ts'
import type { SecretLine, Section } from './report.ts'
import { rotationLine, rotationMood, rotationText } from './rotations.ts'

/** Something that happens soon, goes on now, or went wrong. */
export interface Upcoming {
  readonly mood: Mood
  readonly text: string
}

/** What is further away than this is no news. */
const horizonMs = 30 * dayMs

/** Pure: the worst first. */
export function upcoming(facts: CertsFacts, sections: readonly Section[]): Upcoming[] {
  const all = [
    ...badInputs(facts),
    ...heldBack(facts),
    ...stuckRotations(facts),
    ...sections.flatMap((section) => delivery(section)),
    ...laggards(sections, facts.now),
    ...sections.flatMap((section) => endings(section, facts.now)),
    ...sections.flatMap((section) => handingOn(section)),
    ...sections.flatMap(({ signers, leafs }) =>
      [...signers, ...leafs].flatMap((line) => refreshes(line, facts.now)),
    ),
  ]
  return all.sort((a, b) => moods.indexOf(a.mood) - moods.indexOf(b.mood))
}

const moods: readonly Mood[] = ['ended', 'urgent', 'soon', 'near', 'well']

function badInputs({ controllerConfig }: CertsFacts): Upcoming[] {
  return (controllerConfig?.status?.conditions ?? []).flatMap(({ type, status, message }) => {
    const input = inputOfDegraded(type)
    if (input === undefined || status !== 'True') return []
    return [{ mood: 'urgent', text: `input ${input} cannot be used: ${message ?? ''}` }]
  })
}

function heldBack({ pools }: CertsFacts): Upcoming[] {
  return pools.flatMap(({ metadata, status }) => {
    const held = conditionOf(status?.conditions, certificatesHeld)
    if (!isCondition(status?.conditions, certificatesHeld)) return []
    const mood: Mood = held?.reason === 'PoolPaused' ? 'soon' : 'urgent'
    return [{ mood, text: `pool ${metadata.name}: ${held?.message ?? ''}` }]
  })
}

function stuckRotations({ rotations = [], now }: CertsFacts): Upcoming[] {
  return rotations
    .map(rotationLine)
    .filter(({ problem }) => problem !== undefined)
    .map((line) => ({ mood: rotationMood(line), text: rotationText(line, now) }))
}

function delivery({ name, nodes }: Section): Upcoming[] {
  if (!nodes || nodes.lagging.length === 0) return []
  const { holding, total } = nodes
  const text =
    holding === 0
      ? `${name} has reached none of ${total} nodes yet`
      : `rotation in progress: new ${name} on ${holding} of ${total} nodes`
  return [{ mood: 'soon', text }]
}

/** One line for each node, however many items it lacks. */
function laggards(sections: readonly Section[], now: number): Upcoming[] {
  const byNode = new Map<string, { text: string; items: string[]; mood: Mood }>()
  for (const { name, nodes } of sections) {
    for (const { node, since, why, state } of nodes?.lagging ?? []) {
      const known = byNode.get(node)
      if (known) {
        known.items.push(name)
        continue
      }
      const from = since === undefined ? '' : ` since ${moment(since, now)}`
      const mood = state === 'Failed' ? 'urgent' : 'soon'
      byNode.set(node, { text: `${node} lags${from}: ${why}`, items: [name], mood })
    }
  }
  return [...byNode.values()].map(({ text, items, mood }) => ({
    mood,
    text: `${text} (${items.join(', ')})`,
  }))
}

function endings({ name, bundles, signers, leafs }: Section, now: number): Upcoming[] {
  const trusted = (bundles.at(-1)?.certificates ?? []).flatMap(
    ({ commonName, notAfter, isEarlier }) => {
      if (notAfter - now > horizonMs) return []
      if (!isEarlier) return [ending(`${commonName} in ${name}`, notAfter, now)]
      const text = `${commonName} leaves ${name} in ${span(notAfter - now)}: its successor is there`
      return notAfter > now ? [{ mood: 'well' as const, text }] : []
    },
  )
  const owned = [...signers, ...leafs].flatMap(({ object, notAfter, refresh = now }) => {
    if (notAfter === undefined || notAfter - now > horizonMs) return []
    // It is replaced before, and that is told.
    const isLookedAfter = refresh > now && moodOf(notAfter, now) !== 'urgent'
    return isLookedAfter ? [] : [ending(object, notAfter, now)]
  })
  return [...trusted, ...owned]
}

function ending(what: string, notAfter: number, now: number): Upcoming {
  const left = notAfter - now
  const text = left > 0 ? `${what} ends in ${span(left)}` : `${what} ended ${span(left)} ago`
  return { mood: moodOf(notAfter, now), text }
}

/** The API server's CAs are handed on with a delay, so that two changes in a row are one. */
function handingOn({ name, bundles }: Section): Upcoming[] {
  if (name !== trustItems.apiServerCA || bundles.length < 2) return []
  const text = 'new CAs of the API server go to nodes once they have been the same for a minute'
  return [{ mood: 'soon', text }]
}

function refreshes({ object, refresh }: SecretLine, now: number): Upcoming[] {
  if (refresh === undefined || refresh - now > horizonMs) return []
  const mood: Mood = refresh < now ? 'soon' : 'well'
  return [{ mood, text: `${object}: ${refreshText(refresh, now)}` }]
}
