import { systemClock } from '@machinist/core/clock'
import type { Release } from '../api/validation/extensions.ts'
import type { TemplateSet } from '../controllers/template/template-set.ts'
import { applyManifests } from './cluster/apply-manifests.ts'
import type { BootstrapCluster } from './cluster/start-cluster.ts'
import { startBootstrapCluster } from './cluster/start-cluster.ts'
import { readClusterState } from './findings/cluster-state.ts'
import { findProblems } from './findings/find-problems.ts'
import { findWarnings } from './findings/find-warnings.ts'
import type { ClusterInputs } from './manifests/cluster-inputs.ts'
import { clusterInputs } from './manifests/cluster-inputs.ts'
import type { BootstrapProblem, Manifest } from './manifests/manifest.ts'
import { describeManifest } from './manifests/manifest.ts'
import type { ParsedManifests } from './manifests/parse-manifests.ts'
import { parseManifests } from './manifests/parse-manifests.ts'
import { outputFiles } from './output/output-files.ts'
import { settle } from './rounds/settle.ts'

export interface BootstrapOptions {
  /** The texts of the manifests, by path. */
  readonly files: ReadonlyMap<string, string>
  readonly templates: TemplateSet
  /** The version of Machinist. */
  readonly version: string
  /** The release of the cluster, if Machinist is part of one. */
  readonly payloadVersion?: string | undefined
  /** The release whose merge rules apply. */
  readonly release: Release
  /** How long the controllers may take. */
  readonly timeoutMs: number
  /** Receives a line for each step. */
  readonly progress: (line: string) => void
}

export type BootstrapResult =
  | {
      readonly type: 'rendered'
      /** The texts of the output, by path. */
      readonly files: ReadonlyMap<string, string>
      /** The rendered config of each pool. */
      readonly pools: ReadonlyMap<string, string>
      readonly warnings: readonly BootstrapProblem[]
    }
  | {
      readonly type: 'failed'
      readonly problems: readonly BootstrapProblem[]
      readonly warnings: readonly BootstrapProblem[]
    }

/**
 * Renders the configs of all pools from manifests: applies them to a Kubernetes API in this process, and runs the operator and the
 * controllers until they have nothing to do. Rejects if the signal aborts.
 */
export async function bootstrap(
  options: BootstrapOptions,
  signal: AbortSignal,
): Promise<BootstrapResult> {
  const { files, release, progress } = options
  const parsed = parseManifests(files)
  const { manifests } = parsed
  progress(`read ${count(manifests.length, 'object')} from ${count(files.size, 'file')}`)
  for (const line of skippedLines(parsed)) progress(line)
  const inputs = clusterInputs(manifests, release)
  const invalid = [...parsed.problems, ...inputs.problems]
  if (invalid.length > 0) return { type: 'failed', problems: invalid, warnings: [] }
  progress(`rendering for ${inputs.isOpenShift ? 'OpenShift' : 'Kubernetes without OpenShift'}`)
  const cluster = await startBootstrapCluster(inputs.isOpenShift)
  try {
    return await render(cluster, manifests, inputs, options, signal)
  } finally {
    await cluster.stop()
  }
}

async function render(
  { client, kinds }: BootstrapCluster,
  manifests: readonly Manifest[],
  inputs: ClusterInputs,
  options: BootstrapOptions,
  signal: AbortSignal,
): Promise<BootstrapResult> {
  const { templates, version, payloadVersion, release, timeoutMs, progress } = options
  const given = { client, version, payloadVersion }
  const rejected = await applyManifests(manifests, { ...given, inputs })
  if (rejected.length > 0) return { type: 'failed', problems: rejected, warnings: [] }
  const late = new AbortController()
  const cancel = systemClock.after(timeoutMs, () => late.abort())
  const result = await settle(
    {
      ...given,
      kinds,
      templates,
      release,
      writesControllerConfig: inputs.controllerConfig === undefined,
      progress: (round, changed) =>
        progress(`round ${round} of the controllers changed ${count(changed, 'object')}`),
    },
    AbortSignal.any([signal, late.signal]),
  )
  cancel()
  signal.throwIfAborted()
  const state = await readClusterState(client)
  const { failures } = result
  const warnings = findWarnings(state, manifests)
  const found = findProblems(state, { manifests, release, failures })
  const problems =
    result.type === 'settled' ? found : [...found, tooLate(timeoutMs, result.changing)]
  const { controllerConfig } = state
  if (problems.length > 0 || !controllerConfig) return { type: 'failed', problems, warnings }
  return {
    type: 'rendered',
    files: outputFiles({ ...state, controllerConfig }),
    pools: new Map(
      state.pools.map(({ metadata, spec }) => [metadata.name, spec.configuration?.name ?? '']),
    ),
    warnings,
  }
}

function skippedLines({ ignored, generated }: ParsedManifests): string[] {
  const kinds = [...ignored].map(([kind, number]) => (number === 1 ? kind : `${number} ${kind}s`))
  const names = generated.map(describeManifest)
  return [
    ...(kinds.length > 0 ? [`ignored kinds that do not matter: ${kinds.join(', ')}`] : []),
    ...(names.length > 0 ? [`ignored, because it is generated again: ${names.join(', ')}`] : []),
  ]
}

function tooLate(timeoutMs: number, changing: readonly string[]): BootstrapProblem {
  const last =
    changing.length === 0 ? 'the first round did not end' : `still changing: ${changing.join(', ')}`
  const message = `the controllers did not finish within ${timeoutMs / 1000} s: ${last}; increase the time limit (--timeout)`
  return { message }
}

const count = (number: number, noun: string): string =>
  `${number} ${noun}${number === 1 ? '' : 's'}`
