import { DecisionChain } from '@machinist/kube/controller/decision-chain'
import { maxUnpackedBytes, oversizedFiles } from '@machinist/ignition/content-facts'
import { renderReasons } from '../../api/reasons.ts'
import { plan } from '../../planner/plan.ts'
import { mebibytes } from '../../planner/model/wording.ts'
import { mergePolicies } from '../../api/disruption-policy/merge.ts'
import { versionOfRelease } from '../../fleet/render/ignition-version.ts'
import type { RenderedConfig } from '../../fleet/render/renderer.ts'
import { unknownNode } from '../../planner/unknown-node.ts'
import type { PoolRenderFacts } from './facts.ts'
import type { RenderBlock } from './block.ts'
import { degraded, someOf } from './block.ts'
import { noMistakeChangesNodes } from './mistakes.ts'

/** A rendered config with the facts that it was rendered from. */
export interface RenderResult {
  readonly rendered: RenderedConfig
  readonly facts: PoolRenderFacts
}

/** The largest request that etcd accepts. */
const maxRenderedBytes = 1_572_864

function mergedIsValid({ rendered: { problems } }: RenderResult): RenderBlock | undefined {
  return problems.length === 0
    ? undefined
    : degraded(renderReasons.badMerge, `the MachineConfigs conflict: ${someOf(problems)}`)
}

/** Daemons of the release go Degraded on a newer version; a conversion would drop settings. */
function releaseCanExpressIt({ rendered, facts }: RenderResult): RenderBlock | undefined {
  const { losses } = rendered
  const { release } = facts
  if (losses.length === 0) return undefined
  return degraded(
    renderReasons.newerIgnition,
    `release ${release} reads Ignition ${versionOfRelease(release)}, which cannot express all of it: ${someOf(losses)}; change these MachineConfigs, or run the controllers with a newer --release`,
  )
}

function streamIsNotOverridden({
  rendered,
  facts: { pool },
}: RenderResult): RenderBlock | undefined {
  const { osImageOverridden, provenance, spec } = rendered
  const stream = pool.spec.osImageStream?.name
  if (!stream || !osImageOverridden) return undefined
  return degraded(
    renderReasons.streamOverridden,
    `MachineConfig ${provenance.osImage?.['']} sets osImageURL ${spec.osImageURL}, but the pool follows the OS image stream ${stream}; remove one of the two`,
  )
}

function fitsIntoOneObject({
  rendered: { size, spec, provenance },
}: RenderResult): RenderBlock | undefined {
  if (size <= maxRenderedBytes) return undefined
  const largest = (spec.config.storage?.files ?? [])
    .map(({ path, contents }) => ({ path, size: contents?.source?.length ?? 0 }))
    .toSorted((a, b) => b.size - a.size)
    .slice(0, 5)
    .map(
      (file) => `${file.path} (${file.size}, from MachineConfig ${provenance.file?.[file.path]})`,
    )
  return degraded(
    renderReasons.tooLarge,
    `the rendered config has ${size} bytes, and the API server stores at most ${maxRenderedBytes}. Largest files: ${largest.join(', ')}. Compress their contents (gzip), or make long lists such as registry mirrors shorter`,
  )
}

/** Runs before all checks that read contents. */
function contentsFitIntoMemory({
  rendered,
  facts: { inUse },
}: RenderResult): RenderBlock | undefined {
  const { name, spec, provenance } = rendered
  const files = inUse.some(({ metadata }) => metadata.name === name)
    ? []
    : oversizedFiles(spec.config)
  if (files.length === 0) return undefined
  const sizes = files
    .toSorted((a, b) => b.size - a.size)
    .map(
      ({ path, size }) =>
        `${path} (${mebibytes(size)}, from MachineConfig ${provenance.file?.[path]})`,
    )
  return degraded(
    renderReasons.tooLarge,
    `the compressed files of the rendered config unpack to more than ${mebibytes(maxUnpackedBytes)}: ${someOf(sizes)}. Make them smaller, or ship them in the OS image`,
  )
}

/**
 * Compares with the current and desired configs of the pool. A return to one of them is always allowed, so that a mistake can
 * be undone. Release 4.12 leaves this to the nodes.
 */
function runningNodesCanApplyIt({ rendered, facts }: RenderResult): RenderBlock | undefined {
  const { inUse, overrides, release } = facts
  if (release === '4.12' || inUse.some(({ metadata }) => metadata.name === rendered.name)) {
    return undefined
  }
  const rules = release === '4.16' ? '4.16' : { policies: mergePolicies() }
  const desired = { metadata: { name: rendered.name }, spec: { ...rendered.spec } }
  for (const current of inUse) {
    const { reconcilable, reasons } = plan({
      current,
      desired,
      rules,
      facts: unknownNode,
      overrides,
    })
    if (reconcilable) continue
    const because = reasons.map((reason) => `${reason}${sourcesOf(reason, rendered)}`)
    return degraded(
      renderReasons.notReconcilable,
      `nodes in ${current.metadata.name} cannot apply the new config: ${someOf(because)}`,
    )
  }
  return undefined
}

/** Checks of the rendered config before any node gets it. */
export const renderedChain = DecisionChain.of<RenderResult, RenderBlock>(
  {
    mergedIsValid,
    releaseCanExpressIt,
    contentsFitIntoMemory,
    noMistakeChangesNodes: ({ rendered, facts }) => noMistakeChangesNodes(rendered, facts),
    streamIsNotOverridden,
    fitsIntoOneObject,
    runningNodesCanApplyIt,
  },
  ({ message }) => message,
)

/** The MachineConfigs behind a reason of the planner. */
function sourcesOf(reason: string, { sources, provenance }: RenderedConfig): string {
  const origins = sectionOf(reason).flatMap((section) => sources.ofSection(section))
  const [, path] = /\bfile (\/[^\s:;,]+)/.exec(reason) ?? []
  const source = path === undefined ? undefined : provenance.file?.[path]
  if (source !== undefined) origins.push(source)
  if (reason.includes('FIPS') && provenance.fips?.['']) origins.push(provenance.fips[''])
  return origins.length === 0 ? '' : ` (from ${someOf(origins)})`
}

function sectionOf(reason: string): string[] {
  const [, section] = /^ignition (passwd groups|passwd user|kargs|\w+) section/.exec(reason) ?? []
  if (section === undefined) return []
  return [knownSections[section] ?? `storage.${section}`]
}

const knownSections: Readonly<Record<string, string>> = {
  'passwd groups': 'passwd.groups',
  'passwd user': 'passwd.users',
  kargs: 'kernelArguments',
}
