import { readFileSync } from 'node:fs'
import { request } from 'node:https'
import { isObject } from '@machinist/core/encoding/json'
import { parseYaml } from '@machinist/core/encoding/yaml'
import type { ClusterAddress } from '@machinist/testing/clusters/start-cluster'
import { until } from '@machinist/testing/until'
import type { ExampleObject } from '../api/examples.ts'
import { examples } from '../api/examples.ts'
import { definitionFiles } from './crd-schemas.ts'
import { mistakes } from './mistakes.ts'
import type { Probe, ProbeObject } from './probe.ts'
import { probes } from './probes.ts'
import type { Answer, Recorded } from './recorded.ts'
import { sorted } from './recorded.ts'

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

/** Submits every mistake, probe and example to a real kube-apiserver and records its responses. */
export async function askRealServer(cluster: ClusterAddress): Promise<Recorded> {
  const send: Send = (...request) => exchange(cluster, ...request)
  return {
    mistakes: await recordMistakes(send),
    probes: await recordProbes(send),
    examples: await recordExamples(send),
  }
}

type Send = (method: string, path: string, body?: unknown) => Promise<Reply>

interface Reply {
  readonly code: number
  readonly body: Record<string, unknown>
}

async function recordMistakes(send: Send): Promise<Recorded['mistakes']> {
  const answers: Record<string, Answer> = {}
  for (const [name, schema] of Object.entries(mistakes)) {
    const crd = definition('Mistake', schema)
    const { body, code } = await send('POST', `${definitions}?dryRun=All`, crd)
    answers[name] = code === 201 ? {} : rejection(body)
  }
  return answers
}

async function recordProbes(send: Send): Promise<Recorded['probes']> {
  for (const [name, probe] of Object.entries(probes)) {
    await must(send, 'POST', definitions, probeDefinition(name, probe))
  }
  const answers: Record<string, Answer[]> = {}
  for (const [name, probe] of Object.entries(probes)) {
    await waitUntilServed(send, objectsOf(name))
    await prepare(send, name, probe)
    answers[name] = []
    for (const [index, object] of (probe.objects ?? []).entries()) {
      answers[name].push(await recordObject(send, name, index, object))
    }
  }
  return answers
}

/** Creates the old objects, then installs the stricter schema if there is one. */
async function prepare(
  send: Send,
  name: string,
  { objects = [], before, schema }: Probe,
): Promise<void> {
  for (const [index, { old }] of objects.entries()) {
    if (old !== undefined) await must(send, 'POST', objectsOf(name), probeObject(name, index, old))
  }
  if (before === undefined) return
  const crd = `${definitions}/${kindOf(name).toLowerCase()}s.probes.example.com`
  await must(send, 'PATCH', crd, { spec: { versions: [version(wrapped(schema))] } })
  const invalidObject = probeObject(name, objects.length, objects[0]!.old)
  await until(`${name} has its new schema`, async () => {
    const { code } = await send('POST', `${objectsOf(name)}?dryRun=All`, invalidObject)
    return code === 422
  })
}

async function recordObject(
  send: Send,
  name: string,
  index: number,
  { old, spec }: ProbeObject,
): Promise<Answer> {
  const object = probeObject(name, index, spec)
  const method = old === undefined ? 'POST' : 'PUT'
  const path = old === undefined ? objectsOf(name) : `${objectsOf(name)}/probe-${index}`
  if (method === 'PUT') {
    const { body } = await send('GET', path)
    object.metadata = (body as unknown as ExampleObject).metadata
  }
  const strict = await send(method, `${path}?fieldValidation=Strict&dryRun=All`, object)
  const { code, body } = await send(method, `${path}?fieldValidation=Ignore&dryRun=All`, object)
  return {
    ...(code >= 300 ? rejection(body) : { stored: body['spec'] }),
    ...(strict.code === 400 && { strict: String(strict.body['message']) }),
  }
}

function waitUntilServed(send: Send, path: string): Promise<void> {
  return until(`${path} is served`, async () => (await send('GET', path)).code === 200)
}

async function recordExamples(send: Send): Promise<Recorded['examples']> {
  const plurals = new Map<string, string>()
  for (const file of definitionFiles()) {
    const crd = parseYaml(readFileSync(file, 'utf8'), file) as CrdObject
    plurals.set(crd.spec.names.kind, crd.spec.names.plural)
    await must(send, 'POST', definitions, crd)
  }
  const answers: Record<string, Answer> = {}
  for (const { file, states } of examples()) {
    const [first] = states
    const path = `/apis/${first!.apiVersion}/${plurals.get(first!.kind!)}`
    await waitUntilServed(send, path)
    answers[file] = await submit(send, path, states)
    await send('DELETE', `${path}/${first!.metadata.name}`)
  }
  return answers
}

/** Submits the states of an object one after the other. Only the last one may be rejected. */
async function submit(send: Send, path: string, states: readonly ExampleObject[]): Promise<Answer> {
  for (const [index, state] of states.entries()) {
    const { name } = state.metadata
    const written =
      index === 0
        ? await send('POST', path, state)
        : await send('PATCH', `${path}/${name}`, { spec: state.spec })
    if (written.code >= 300) return { ...rejection(written.body), at: `${index}` }
    if (state.status === undefined) continue
    const reported = await send('PATCH', `${path}/${name}/status`, { status: state.status })
    if (reported.code >= 300) return { ...rejection(reported.body), at: `${index}/status` }
  }
  return {}
}

function rejection(body: Record<string, unknown>): Answer {
  const { details, message } = body as { details?: { causes?: Answer['causes'] }; message: string }
  return details?.causes ? { causes: sorted(details.causes) } : { message }
}

function probeDefinition(name: string, { root, before, schema }: Probe): unknown {
  const first = before ?? schema
  return definition(kindOf(name), root ? first : wrapped(first))
}

function wrapped(schema: unknown): unknown {
  return { type: 'object', properties: { spec: schema } }
}

function definition(kind: string, schema: unknown): unknown {
  const plural = `${kind.toLowerCase()}s`
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.probes.example.com` },
    spec: {
      group: 'probes.example.com',
      names: { kind, plural },
      scope: 'Cluster',
      versions: [version(schema)],
    },
  }
}

function version(schema: unknown): unknown {
  return { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }
}

function probeObject(name: string, index: number, spec: unknown): ExampleObject {
  const metadata = { name: `probe-${index}` }
  return { apiVersion: 'probes.example.com/v1', kind: kindOf(name), metadata, spec }
}

function kindOf(name: string): string {
  const word = name.replaceAll(/[^a-z]/g, '')
  return word[0]!.toUpperCase() + word.slice(1)
}

function objectsOf(name: string): string {
  return `/apis/probes.example.com/v1/${kindOf(name).toLowerCase()}s`
}

async function must(send: Send, method: string, path: string, body: unknown): Promise<void> {
  const answer = await send(method, path, body)
  if (answer.code < 300) return
  throw new Error(`${method} ${path}: ${JSON.stringify(rejection(answer.body), undefined, 1)}`)
}

function exchange(
  { server, token, caFile }: ClusterAddress,
  method: string,
  path: string,
  body?: unknown,
): Promise<Reply> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
  const headers = { authorization: `Bearer ${token}`, 'content-type': type }
  return new Promise((resolve, reject) => {
    const sent = request(server + path, { method, headers, ca: readFileSync(caFile) }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (part: string) => (text += part))
      // The response for a path that is not served yet is plain text.
      answer.on('end', () => resolve({ code: answer.statusCode ?? 0, body: parsed(text) }))
    })
    sent.on('error', reject)
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

function parsed(text: string): Record<string, unknown> {
  if (!text.startsWith('{')) return { message: text }
  const value: unknown = JSON.parse(text)
  return isObject(value) ? value : {}
}

interface CrdObject {
  spec: { names: { kind: string; plural: string } }
}
