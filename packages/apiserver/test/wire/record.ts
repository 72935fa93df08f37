/**
 * Asks a real kube-apiserver for objects in protobuf, in JSON and as tables, lets a real kubectl send requests through
 * a proxy that writes them down, and stores all of it beside this file:
 *
 *     node packages/apiserver/test/wire/record.ts
 */
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseYaml } from '@machinist/core/encoding/yaml'
import type { ClusterAddress } from '@machinist/testing/clusters/start-cluster'
import { kubernetesPrograms, startCluster } from '@machinist/testing/clusters/start-cluster'
import { forward, serveForwarding } from './forward.ts'
import type { RecordedRequest, RecordedTable } from './recorded.ts'
import { commands, plurals, tables } from './recorded.ts'

type KubeJson = Record<string, unknown> & {
  apiVersion: string
  kind: string
  metadata: {
    name: string
    namespace?: string
    resourceVersion?: string
    managedFields?: unknown
    annotations?: Record<string, string>
  }
}

type RecordedList = RecordedTable['items'][number] & {
  apiVersion: string
  kind: string
  items?: RecordedTable['items']
}

const protobuf = 'application/vnd.kubernetes.protobuf'

const programs = kubernetesPrograms()
if ('missing' in programs) throw new Error(programs.missing)
const cluster = await startCluster(programs.directory)
try {
  const objects = parseYaml(file('objects.yaml').toString(), 'objects.yaml') as KubeJson[]
  for (const object of objects) await create(object)
  const pairs = []
  for (const object of objects.filter(({ kind }) => kind !== 'Gadget')) {
    const json = JSON.parse((await ask('GET', pathOf(object))).toString()) as KubeJson
    pairs.push({ protobuf: (await ask('GET', pathOf(object), protobuf)).toString('base64'), json })
  }
  const requests = await recordRequests(cluster)
  save('recorded-protobuf.json', { objects: pairs, requests })
  const recorded: RecordedTable[] = []
  for (const path of tables) recorded.push(await recordTable(path))
  save('recorded-tables.json', recorded)
} finally {
  await cluster.stop()
}

function file(name: string): Buffer {
  return readFileSync(join(import.meta.dirname, name))
}

function save(name: string, value: unknown): void {
  writeFileSync(join(import.meta.dirname, name), `${JSON.stringify(value)}\n`)
}

async function create(object: KubeJson): Promise<void> {
  const { status, ...rest } = object
  const path = pathOf(object)
  const text = await ask('POST', path.slice(0, path.lastIndexOf('/')), undefined, rest)
  if (object.kind === 'CustomResourceDefinition') await sleep(3000)
  if (status === undefined) return
  const created = JSON.parse(text.toString()) as KubeJson
  await ask('PUT', `${path}/status`, undefined, { ...created, status })
}

function pathOf({ apiVersion, kind, metadata }: KubeJson): string {
  const root = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`
  const scope = metadata.namespace === undefined ? '' : `/namespaces/${metadata.namespace}`
  return `${root}${scope}/${plurals[kind]}/${metadata.name}`
}

async function recordTable(path: string): Promise<RecordedTable> {
  const list = JSON.parse((await ask('GET', path)).toString()) as RecordedList
  // Early in a second, so that both servers compute the same age.
  await sleep(1200 - (Date.now() % 1000))
  const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io'
  const table = JSON.parse((await ask('GET', path, accept)).toString()) as RecordedTable['table']
  const now = Date.now()
  for (const item of list.items ?? [list]) forgetManagers(item)
  for (const row of table.rows) forgetManagers(row.object)
  const custom = path.includes('example.com')
  // Descriptions of built-in columns are Kubernetes' text; they are not served here.
  if (!custom) for (const column of table.columnDefinitions) delete column.description
  else delete table.columnDefinitions[0]!.description
  const { apiVersion } = list
  const kind = list.kind.replace(/List$/, '')
  return { path, apiVersion, kind, now, items: list.items ?? [list], table }
}

/** managedFields are long; and kube-apiserver's tables lack an annotation that it sets on DaemonSets. */
function forgetManagers(object: unknown): void {
  const { metadata } = object as KubeJson
  delete metadata.managedFields
  if (metadata.annotations?.['deprecated.daemonset.template.generation'])
    delete metadata.annotations
}

/** kubectl uses a proxy that records protobuf bodies. */
async function recordRequests({ kubectl }: ClusterAddress): Promise<RecordedRequest[]> {
  let bodies: string[] = []
  await using proxy = await serveForwarding(async (requested) => {
    if (requested.headers['content-type'] === protobuf) {
      bodies.push(`${requested.method} ${requested.path} ${requested.body.toString('base64')}`)
    }
    return forward(cluster, requested)
  })
  const run = (command: string): Promise<string> =>
    new Promise((resolve) => {
      const args = [`--server=${proxy.url}`, '--namespace=wire', ...command.split(' ')]
      execFile(kubectl, args, (_error, stdout, stderr) => resolve(stdout || stderr))
    })
  const recorded: RecordedRequest[] = []
  for (const command of commands) {
    bodies = []
    const reported = await run(command)
    if (bodies.length === 0) throw new Error(`${command} sent no protobuf: ${reported}`)
    const [method, url, body = ''] = bodies.at(-1)!.split(' ')
    const dry = command.startsWith('create ') && !command.includes('token')
    const json = dry
      ? (JSON.parse(await run(`${command} --dry-run=client -o json`)) as unknown)
      : null
    recorded.push({ command, request: `${method} ${url}`, protobuf: body, json })
  }
  return recorded
}

async function ask(
  method: string,
  path: string,
  accept = 'application/json',
  body?: unknown,
): Promise<Buffer> {
  const headers = { accept, ...(body === undefined ? {} : { 'content-type': 'application/json' }) }
  const bytes = Buffer.from(body === undefined ? '' : JSON.stringify(body))
  const answer = await forward(cluster, { method, path, headers, body: bytes })
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.body.toString()}`)
  return answer.body
}
