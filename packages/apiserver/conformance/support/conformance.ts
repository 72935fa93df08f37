import { setTimeout as pause } from 'node:timers/promises'
import type { TestContext } from 'vitest'
import { describe, expect, inject, it } from 'vitest'
import { nameSuffix, systemRandom } from '@machinist/core/random'
import type { KubeClient } from '@machinist/kube/client/client'
import { clientFrom } from '@machinist/testing/clusters/real-client'
import type { ConformanceTarget } from '@machinist/testing/clusters/target'
import { isAbsent } from '@machinist/testing/clusters/target'
import { differences } from '../differences.ts'
import { Api } from './api.ts'
import type { Printed } from './kubectl.ts'
import { runKubectl } from './kubectl.ts'

/** Context of a case. Everything that it creates is in its namespace or has `unique` in its name. */
export interface Stage {
  readonly target: ConformanceTarget
  readonly api: Api
  /** An existing namespace. */
  readonly namespace: string
  /** For cluster-scoped objects. */
  readonly unique: string
  readonly kubectl: (...args: string[]) => Promise<Printed>
  /** The client of packages/kube. */
  readonly client: () => Promise<KubeClient>
}

type Case = (stage: Stage) => Promise<void>

/** Binds a case to the current server: `it('does this', on(async ({ api }) => …))`. */
export type On = (run: Case) => (context: TestContext) => Promise<void>

/** One topic of the suite, once per server. Cases do not know which server it is. */
export function conformance(topic: string, cases: (on: On) => void): void {
  for (const target of inject('conformanceTargets')) {
    describe.for([`${topic} (${target.name})`])('%s', () => {
      if (!isAbsent(target)) return cases((run) => (context) => play(target, topic, run, context))
      it('requires a server', ({ skip }) => {
        expect(target.absent).not.toBe('')
        skip(target.absent)
      })
    })
  }
}

/** Shorter timeout for cases that are known to fail. */
const knownFailureTimeoutMs = 10_000

async function play(
  target: ConformanceTarget,
  topic: string,
  run: Case,
  context: TestContext,
): Promise<void> {
  const id = `${topic}: ${context.task.name}`
  const known = target.name === 'embedded' ? differences[id] : undefined
  const stage = await staged(target)
  if (known === undefined) return run(stage)
  const failed = await Promise.race([
    run(stage).then(
      () => false,
      () => true,
    ),
    pause(knownFailureTimeoutMs, true),
  ])
  if (!failed) throw new Error(`no difference any more: take "${id}" out of differences.ts`)
  context.skip(`known difference: ${known}`)
}

async function staged(target: ConformanceTarget): Promise<Stage> {
  const unique = nameSuffix(systemRandom, 8)
  const api = new Api(target)
  const namespace = `case-${unique}`
  const made = await api.post('/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: namespace },
  })
  if (made.code !== 201) throw new Error(`no namespace for the case: ${made.code} ${made.text}`)
  return {
    target,
    api,
    namespace,
    unique,
    kubectl: (...args) => runKubectl(target, args),
    client: () => clientFrom(target.kubeconfig),
  }
}
