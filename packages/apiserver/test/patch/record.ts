/*
 * Sends every sequence to a real kube-apiserver and records its answers for replays. Run it after changing sequences:
 * `node packages/apiserver/test/patch/record.ts`, then prettier.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { request as ask } from 'node:https'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isObject } from '@machinist/core/encoding/json'
import { applyMergePatch } from '@machinist/core/objects/merge-patch'
import { parseYaml } from '@machinist/core/encoding/yaml'
import { startPrivateCluster } from '@machinist/testing/clusters/real-cluster'
import type { ClusterAddress } from '@machinist/testing/clusters/start-cluster'
import type { Definitions } from './rules.ts'
import { rulesOf, servedBuiltIns } from './rules.ts'
import type { Place, RecordedSequence, Request, Sequence, Step } from './sequence.ts'
import { momentOf, places } from './sequence.ts'
import { rejected } from './refused-patches.ts'
import { sequences } from './sequences.ts'

const contentTypes = {
  create: 'application/json',
  update: 'application/json',
  apply: 'application/apply-patch+yaml',
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
}

const cluster = await startPrivateCluster()
try {
  for (const plural of ['machineconfigpools', 'machineconfigs']) await define(plural)
  await sleep(5000)
  write(
    'recorded-sequences.json',
    await Promise.all(sequences.map((one, i) => record(one, `s${i}`))),
  )
  writeRules(await openApi())
  write('recorded-refusals.json', await Promise.all(rejected.map((one, i) => record(one, `r${i}`))))
} finally {
  await cluster.stop()
}

/** The server's OpenAPI document, reduced to the served built-in kinds. */
async function openApi(): Promise<Definitions> {
  const { text } = await send(cluster, 'GET', '/openapi/v2', { accept: 'application/json' }, '')
  return (JSON.parse(text) as { definitions: Definitions }).definitions
}

function writeRules(definitions: Definitions): void {
  const lines = servedBuiltIns.map((name) => {
    const rules = JSON.stringify(rulesOf(definitions, name))
    return `  ${JSON.stringify(name)}: ${rules}`
  })
  const file = new URL('recorded-rules.json', import.meta.url)
  writeFileSync(file, `{\n${lines.join(',\n')}\n}\n`)
}

async function define(plural: string): Promise<void> {
  const file = join(
    import.meta.dirname,
    `../../../deploy/crds/${plural}.machineconfiguration.openshift.io.yaml`,
  )
  const crd = parseYaml(readFileSync(file, 'utf8'), file)
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
  await send(cluster, 'POST', path, { 'content-type': 'application/json' }, JSON.stringify(crd))
}

async function record(sequence: Sequence, id: string): Promise<RecordedSequence> {
  const place = places[sequence.kind]!
  const name = `object-${id}-end`
  const steps: Step[] = []
  const times = new Map<string, string>()
  let present: unknown
  for (const [i, one] of sequence.steps.entries()) {
    const { code, answer, sent } = await take(place, name, one, present)
    if (code < 300) present = answer
    const text = JSON.stringify({ request: { ...one, body: sent }, code, answer })
    steps.push(JSON.parse(stable(text, name, i, times)) as Step)
    // Entries of managedFields are ordered by second.
    await sleep(1100)
  }
  return { name: sequence.name, kind: sequence.kind, steps }
}

async function take(
  place: Place,
  name: string,
  one: Request,
  present: unknown,
): Promise<{ code: number; answer: unknown; sent: unknown }> {
  const group = place.group === '' ? '/api' : `/apis/${place.group}`
  const namespace = place.namespaced ? '/namespaces/default' : ''
  const list = `${group}/${place.version}${namespace}/${place.plural}`
  const path = one.verb === 'create' ? list : `${list}/${name}`
  const query = new URLSearchParams()
  if (one.manager) query.set('fieldManager', one.manager)
  if (one.force) query.set('force', 'true')
  const sent = bodyOf(place, name, one, present)
  const method = { create: 'POST', update: 'PUT' }[one.verb as string] ?? 'PATCH'
  const { code, text } = await send(
    cluster,
    method,
    `${path}${one.subresource ? `/${one.subresource}` : ''}?${query.toString()}`,
    { 'content-type': contentTypes[one.verb], 'user-agent': one.userAgent ?? 'recorder' },
    JSON.stringify(sent),
  )
  return { code, answer: JSON.parse(text), sent }
}

function bodyOf(place: Place, name: string, one: Request, present: unknown): unknown {
  if (one.verb === 'update') return applyMergePatch(present, one.body)
  if ((one.verb !== 'create' && one.verb !== 'apply') || !isObject(one.body)) return one.body
  const { group, version, kind } = place
  const envelope = { apiVersion: group === '' ? version : `${group}/${version}`, kind }
  return applyMergePatch({ ...envelope, metadata: { name } }, one.body)
}

/** Replaces values that differ between recordings. */
function stable(text: string, name: string, step: number, times: Map<string, string>): string {
  const year = new Date().getUTCFullYear()
  const now = new Date(momentOf(step)).toISOString().replace('.000', '')
  const read = JSON.parse(text) as {
    answer: { metadata?: Record<string, unknown>; details?: { causes?: { message: string }[] } }
  }
  // The server's order of conflicting owners varies.
  read.answer.details?.causes?.sort((one, two) => one.message.localeCompare(two.message))
  const body = (read as { request?: { body?: { metadata?: Record<string, unknown> } } }).request
    ?.body
  for (const metadata of [read.answer.metadata, body?.metadata]) {
    if (isObject(metadata)) delete metadata['resourceVersion']
  }
  return JSON.stringify(read)
    .replaceAll(name, 'x')
    .replaceAll(new RegExp(`${year}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ`, 'g'), (time) => {
      if (!times.has(time)) times.set(time, now)
      return times.get(time)!
    })
    .replaceAll(/(?<="uid":")(?!\d{8}-0000)[-0-9a-f]{36}/g, 'u-i-d')
}

function write(file: string, recorded: readonly RecordedSequence[]): void {
  const lines = recorded.map(({ name, kind, steps }) => {
    const inner = steps.map((step) => `    ${JSON.stringify(step)}`).join(',\n')
    return `  {"name":${JSON.stringify(name)},"kind":"${kind}","steps":[\n${inner}\n  ]}`
  })
  writeFileSync(new URL(file, import.meta.url), `[\n${lines.join(',\n')}\n]\n`)
}

function send(
  { server, caFile, token }: ClusterAddress,
  method: string,
  path: string,
  headers: Record<string, string>,
  body: string,
): Promise<{ code: number; text: string }> {
  return new Promise((resolve, reject) => {
    const options = {
      method,
      ca: readFileSync(caFile),
      headers: { ...headers, authorization: `Bearer ${token}` },
    }
    const sent = ask(`${server}${path}`, options, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('end', () =>
        resolve({ code: answer.statusCode!, text: Buffer.concat(chunks).toString() }),
      )
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
