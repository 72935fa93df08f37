import type { ParserCase } from '@machinist/testing/growth/growth'
import { casesOf, many, runs } from '@machinist/testing/growth/growth'
import { targetFromKubeconfig } from '../src/connection/kubeconfig.ts'
import { eventName, limitedMessage } from '../src/events/event-text.ts'
import { watchEvents } from '../src/watch/watch-stream.ts'

const kubeconfig = (n: number): string =>
  `current-context: c0\n${['clusters', 'users', 'contexts']
    .map(
      (list) =>
        `${list}:\n${many(n, (i) => `- name: c${i}\n  ${list.slice(0, -1)}: {cluster: c0, user: c0, server: "https://h"}\n`)}`,
    )
    .join('')}`

async function* chunksOf(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function allEvents(text: string, size: number): Promise<number> {
  let events = 0
  const request = { method: 'GET', path: '/x' }
  for await (const _ of watchEvents(chunksOf(text, size), { request })) events++
  return events
}

export const growthCases: readonly ParserCase[] = [
  ...casesOf('connection/kubeconfig.ts targetFromKubeconfig', {
    read: (text) => targetFromKubeconfig([{ path: 'kubeconfig', text }]),
    shapes: { 'clusters, users and contexts': kubeconfig },
  }),
  ...casesOf('watch/watch-stream.ts watchEvents', {
    read: (text) => allEvents(text, 16_384),
    shapes: {
      events: runs('{"type":"ADDED","object":{"metadata":{"name":"a","resourceVersion":"1"}}}\n'),
      'empty lines': runs('\n'),
      'a long line': runs('a', '"', '"\n'),
    },
  }),
  ...casesOf('watch/watch-stream.ts watchEvents', {
    read: (text) => allEvents(text, 16),
    shapes: { 'a long line in small pieces': runs('aaaaaaaa', '"', '"\n') },
  }),
  ...casesOf('events/event-text.ts eventName', {
    read: (text) => [eventName(text, 1, 1), limitedMessage(text)],
    shapes: { dashes: runs('-', 'a', 'b'), points: runs('.') },
  }),
]
