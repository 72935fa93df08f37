import { readFileSync } from 'node:fs'
import { request } from 'node:https'
import { beforeAll, expect, it } from 'vitest'
import { systemClock } from '@machinist/core/clock'
import { silentLogger } from '@machinist/core/log'
import type { KubeObject, ListMeta } from '@machinist/core/objects/resource'
import { clientFrom, freshNamespace } from '@machinist/testing/clusters/real-client'
import { describeOnRealCluster } from '@machinist/testing/clusters/real-cluster'
import type { ClusterAddress } from '@machinist/testing/clusters/start-cluster'
import { statusBody } from '../../src/status/status-body.ts'
import { StatusError } from '../../src/status/status-error.ts'
import { MemoryStore } from '../../src/store/memory-store.ts'
import type { ListQuery, Select } from '../../src/watch/list-options.ts'
import { plainView } from '../../src/watch/view.ts'
import { WatchCache } from '../../src/watch/watch-cache.ts'
import { ConfigMaps, inDefault } from './config-maps.ts'

const configMaps = plainView({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  listKind: 'ConfigMapList',
  builtIn: true,
})

const token = (text: string): string => Buffer.from(text).toString('base64url')

const queries = [
  'resourceVersionMatch=Exact',
  'resourceVersionMatch=Foo',
  'resourceVersionMatch=Foo&resourceVersion=5',
  'resourceVersionMatch=Exact&resourceVersion=0',
  'resourceVersionMatch=Exact&continue=abc',
  'resourceVersionMatch=NotOlderThan&resourceVersion=0&continue=abc',
  'sendInitialEvents=true',
  'resourceVersion=abc',
  'resourceVersion=-1',
  'resourceVersion=99999999999999999999',
  'resourceVersion=1198000',
  'resourceVersion=1198000&limit=1',
  'resourceVersion=1198000&resourceVersionMatch=Exact',
  'resourceVersion=1198000&resourceVersionMatch=NotOlderThan',
  'continue=abc',
  'continue=abcde',
  'continue=%21%21%21',
  `continue=${token('{"v":"x","rv":1,"start":"a"}')}`,
  `continue=${token('{"v":"meta.k8s.io/v1","rv":0,"start":"a"}')}`,
  `continue=${token('{"v":"meta.k8s.io/v1","rv":1,"start":""}')}`,
  `continue=${token('{"v":"meta.k8s.io/v1","rv":1,"start":"../../x"}')}`,
  `continue=${token('{"v":"meta.k8s.io/v1","rv":1,"start":"a"')}`,
  `continue=${token('{"v":"meta.k8s.io/v1","rv":"1","start":"a"}')}`,
  `continue=${token('{"v":"meta.k8s.io/v1","rv":1.5,"start":"a"}')}`,
  `continue=${token('{"v":["x"],"rv":1,"start":"a"}')}`,
  `continue=${token('[1]')}`,
  `continue=${token('null')}`,
  `continue=${token('{"v":"meta.k8s.io/v1","rv":1198000,"start":"a"}')}`,
  `resourceVersion=5&continue=${token('{"v":"meta.k8s.io/v1","rv":5,"start":"a"}')}`,
  'watch=1&resourceVersionMatch=Exact',
  'watch=1&resourceVersionMatch=NotOlderThan',
  'watch=1&sendInitialEvents=true',
  'watch=1&sendInitialEvents=false&resourceVersionMatch=Exact',
  'watch=1&continue=abc',
  'watch=1&resourceVersion=abc',
  'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=1198000',
]

describeOnRealCluster('what a list or a watch refuses, kube-apiserver refuses', (cluster) => {
  let namespace: string
  beforeAll(async () => {
    namespace = await freshNamespace(await clientFrom(cluster.kubeconfig))
  })

  it.each(queries)('same answers: %s', async (query) => {
    const [theirs, ours] = await Promise.all([
      answerOf(cluster, `/api/v1/namespaces/${namespace}/configmaps?${query}`),
      ourAnswer(new URLSearchParams(query)),
    ])
    expect(comparable(ours)).toEqual(comparable(theirs))
  })
})

describeOnRealCluster('a watch sends the events that kube-apiserver sends', (cluster) => {
  const steps: Step[] = [
    ['put', 'a', 'a'],
    ['put', 'b', 'x'],
    ['watch'],
    ['put', 'a', 'x'],
    ['put', 'a', 'a'],
    ['put', 'a', 'a', { x: '1' }],
    ['put', 'b', 'a'],
    ['put', 'c', 'x'],
    ['put', 'a', 'x', { x: '1' }],
    ['remove', 'a'],
    ['remove', 'b'],
    ['put', 'a', 'a', { x: '2' }],
    ['put', 'last', 'a'],
  ]

  it.each([
    ['timeoutSeconds=60', undefined],
    ['timeoutSeconds=60&labelSelector=l%3Da', labelled],
  ])('same order: %s', async (query, select) => {
    const namespace = await freshNamespace(await clientFrom(cluster.kubeconfig))
    const theirs = await theirEvents(cluster, `/api/v1/namespaces/${namespace}/configmaps`, query)
    expect(await ourEvents(select)).toEqual(theirs)
  })

  async function theirEvents(on: ClusterAddress, path: string, query: string): Promise<Seen[]> {
    let lines = Promise.resolve('')
    for (const [what, name, label, data] of steps) {
      if (what === 'watch') {
        const { metadata } = JSON.parse(await answerOf(on, path)) as { metadata: ListMeta }
        // Starts at the version of the list, so its timing is irrelevant.
        const from = `?watch=1&resourceVersion=${metadata.resourceVersion}&${query}`
        lines = answerOf(on, path + from, { until: '"name":"last"' })
      } else if (what === 'remove') {
        await answerOf(on, `${path}/${name}`, { method: 'DELETE' })
      } else {
        const body = JSON.stringify({ metadata: { name, labels: { l: label } }, data })
        const made = JSON.parse(await answerOf(on, path, { method: 'POST', body })) as Answer
        const exists = made.reason === 'AlreadyExists'
        if (exists) await answerOf(on, `${path}/${name}`, { method: 'PUT', body })
      }
    }
    return (await lines).trimEnd().split('\n').map(seen)
  }

  async function ourEvents(select: Select | undefined): Promise<Seen[]> {
    const store = new MemoryStore({ clock: systemClock, log: silentLogger })
    const objects = new ConfigMaps(store)
    const cache = new WatchCache({ store, clock: systemClock, log: silentLogger })
    const lines: string[] = []
    const sink = { write: (line: Buffer) => lines.push(line.toString()) > 0, end() {}, drop() {} }
    for (const [what, name = '', label, data] of steps) {
      const resourceVersion = String(store.revision)
      if (what === 'watch') cache.watch(inDefault, { resourceVersion, select }, configMaps, sink)
      else if (what === 'remove') await objects.remove(name)
      else await objects.put(name, label, data)
    }
    return lines.map(seen)
  }
})

type Step = [
  what: 'put' | 'remove' | 'watch',
  name?: string,
  label?: string,
  data?: Record<string, string>,
]

interface Answer {
  readonly reason?: string
}

const labelled: Select = ({ metadata }) => metadata.labels?.['l'] === 'a'

/** The part of an event that is the same on all servers. */
interface Seen {
  readonly type: string
  readonly name: string
  readonly labels: unknown
  readonly data: unknown
}

function seen(line: string): Seen {
  const { type, object } = JSON.parse(line) as {
    type: string
    object: KubeObject & { data?: unknown }
  }
  return { type, name: object.metadata.name, labels: object.metadata.labels, data: object.data }
}

interface Asked {
  readonly method?: string
  readonly body?: string
  /** Stop reading here. */
  readonly until?: string
}

function answerOf(cluster: ClusterAddress, path: string, how: Asked = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${cluster.token}`,
      'content-type': 'application/json',
    }
    const options = {
      ca: readFileSync(cluster.caFile),
      headers,
      agent: false,
      method: how.method ?? 'GET',
    } as const
    const requested = request(`${cluster.server}${path}`, options, (answer) => {
      let text = ''
      answer.on('data', (chunk: Buffer) => {
        text += chunk.toString()
        if (how.until === undefined || !text.includes(how.until) || !text.endsWith('\n')) return
        resolve(text)
        requested.destroy()
      })
      answer.on('end', () => resolve(text))
    })
    requested.on('error', reject)
    requested.end(how.body)
  })
}

async function ourAnswer(query: URLSearchParams): Promise<string> {
  const store = new MemoryStore({ clock: systemClock, log: silentLogger })
  await new ConfigMaps(store).put('a')
  const cache = new WatchCache({ store, clock: systemClock, log: silentLogger })
  const given = Object.fromEntries(query) as Partial<Record<string, string>>
  const { sendInitialEvents, limit, ...texts } = given
  const options: ListQuery = {
    ...texts,
    ...(limit === undefined ? {} : { limit: Number(limit) }),
    ...(sendInitialEvents === undefined ? {} : { sendInitialEvents: sendInitialEvents === 'true' }),
  }
  try {
    if ('watch' in given) return await firstLine(cache, options)
    return JSON.stringify(await cache.list(inDefault, options))
  } catch (error) {
    if (error instanceof StatusError) return JSON.stringify(statusBody(error))
    throw error
  }
}

function firstLine(cache: WatchCache, options: ListQuery): Promise<string> {
  return new Promise((resolve) => {
    cache.watch(inDefault, options, configMaps, {
      write(line) {
        resolve(line.toString())
        return true
      },
      end() {},
      drop() {},
    })
  })
}

/** The servers are at different revisions. */
const comparable = (answer: string): unknown =>
  JSON.parse(answer.replace(/current: \d+/, 'current: somewhere'))
