/*
 * Sends every question of decision-questions.ts to a real kube-apiserver and records its decisions and default roles.
 * Run it after changing the questions, then format the file: node packages/apiserver/test/auth/record.ts
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import type { ClusterAddress } from '@machinist/testing/clusters/start-cluster'
import { kubernetesPrograms, startCluster } from '@machinist/testing/clusters/start-cluster'
import type { Question } from './decision-questions.ts'
import { namespaces, objects, questions } from './decision-questions.ts'

const programs = kubernetesPrograms()
if ('missing' in programs) throw new Error(programs.missing)
const cluster = await startCluster(programs.directory)
const agent = new Agent({ keepAlive: true, ca: readFileSync(cluster.caFile) })
try {
  const born = JSON.parse(kubectl('get', 'clusterroles,clusterrolebindings', '-o', 'json')) as List
  for (const name of namespaces) kubectl('create', 'namespace', name)
  execFileSync(cluster.kubectl, ['--kubeconfig', cluster.kubeconfig, 'create', '-f', '-'], {
    input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }),
  })
  await untilKnown(cluster)
  const decisions = []
  for (const question of questions) {
    decisions.push({ ...question, status: await ask(cluster, question) })
  }
  write('recorded-decisions.json', decisions)
  write('recorded-defaults.json', born.items.map(essence))
} finally {
  agent.destroy()
  await cluster.stop()
}

interface List {
  readonly items: readonly BornObject[]
}

interface BornObject extends Readonly<Record<string, unknown>> {
  readonly metadata: Readonly<Record<string, unknown>>
}

/** Without fields that differ between clusters. */
function essence({ metadata, ...rest }: BornObject): unknown {
  const { name, labels, annotations } = metadata
  return { ...rest, metadata: { name, labels, annotations } }
}

function kubectl(...words: string[]): string {
  return execFileSync(cluster.kubectl, ['--kubeconfig', cluster.kubeconfig, ...words], {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  })
}

/** The authorizer sees new objects with a delay; the last binding implies all others. */
async function untilKnown(at: ClusterAddress): Promise<void> {
  const groups = ['system:serviceaccounts']
  const attributes = {
    verb: 'get',
    group: '',
    resource: 'x',
    subresource: 'scale',
    namespace: 'green',
  }
  for (let tries = 1000; tries > 0; tries--) {
    if ((await ask(at, { user: 'x', groups, attributes })).allowed) return
  }
  throw new Error('the server does not know the new bindings')
}

function ask(at: ClusterAddress, question: Question): Promise<Readonly<Record<string, unknown>>> {
  const { user, groups, attributes } = question
  const requested = 'path' in attributes ? 'nonResourceAttributes' : 'resourceAttributes'
  const body = JSON.stringify({
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    spec: { user, groups, [requested]: attributes },
  })
  const headers = { authorization: `Bearer ${at.token}`, 'content-type': 'application/json' }
  const url = `${at.server}/apis/authorization.k8s.io/v1/subjectaccessreviews`
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent, headers }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (part: string) => (text += part))
      answer.on('end', () => {
        const { status, message } = JSON.parse(text) as { status: unknown; message?: string }
        if (message !== undefined) reject(new Error(`${body}: ${message}`))
        else resolve(status as Record<string, unknown>)
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

function write(name: string, lines: readonly unknown[]): void {
  const text = lines.map((line) => JSON.stringify(line)).join(',\n')
  writeFileSync(new URL(name, import.meta.url), `[\n${text}\n]\n`)
}
