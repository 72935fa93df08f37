import { renderReasons } from '../../api/reasons.ts'
import { mostUnpackedBytes, oversizedFiles } from '@machinist/ignition/content-facts'
import { plan } from '../../planner/plan.ts'
import { mebibytes } from '../../planner/wording.ts'
import { mergePolicies } from '../../api/disruption-policy/merge.ts'
import type { Facts } from './facts.ts'
import type { Block } from './gates.ts'
import { degraded, someOf } from './gates.ts'
import { versionOfRelease } from '../../fleet/render/ignition-version.ts'
import { noMistakeChangesNodes } from './mistakes.ts'
import type { Rendered } from '../../fleet/render/renderer.ts'
import { someNode } from '../../planner/some-node.ts'

/** One thing that has to be so before a node may see what was rendered. */
export type Check = (rendered: Rendered, facts: Facts) => Block | undefined

export const checks = {
  mergedIsValid,
  releaseCanExpressIt,
  contentsFitIntoMemory,
  noMistakeChangesNodes,
  streamIsNotOverridden,
  fitsIntoAnObject,
  runningNodesCanTakeIt,
} as const satisfies Record<string, Check>

/** What etcd stores at most in one object. */
const largestRendered = 1_572_864

function mergedIsValid({ problems }: Rendered): Block | undefined {
  return problems.length === 0
    ? undefined
    : degraded(renderReasons.badMerge, `the MachineConfigs do not go together: ${someOf(problems)}`)
}

/** Daemons of the release would go Degraded on a newer version, or the node would lack what was meant. */
function releaseCanExpressIt({ losses }: Rendered, { release }: Facts): Block | undefined {
  if (losses.length === 0) return undefined
  return degraded(
    renderReasons.newerIgnition,
    `release ${release} reads Ignition ${versionOfRelease(release)}, which cannot express all of it: ${someOf(losses)}; change these MachineConfigs, or run the controllers with a newer --release`,
  )
}

function streamIsNotOverridden(
  { osImageOverridden, provenance, spec }: Rendered,
  { pool }: Facts,
): Block | undefined {
  const stream = pool.spec.osImageStream?.name
  if (!stream || !osImageOverridden) return undefined
  return degraded(
    renderReasons.streamOverridden,
    `MachineConfig ${provenance.osImage?.['']} sets osImageURL ${spec.osImageURL}, but the pool follows the OS image stream ${stream}; only one of the two can hold`,
  )
}

function fitsIntoAnObject({ size, spec, provenance }: Rendered): Block | undefined {
  if (size <= largestRendered) return undefined
  const largest = (spec.config.storage?.files ?? [])
    .map(({ path, contents }) => ({ path, size: contents?.source?.length ?? 0 }))
    .toSorted((a, b) => b.size - a.size)
    .slice(0, 5)
    .map(
      (file) => `${file.path} (${file.size}, from MachineConfig ${provenance.file?.[file.path]})`,
    )
  return degraded(
    renderReasons.tooLarge,
    `the rendered configuration has ${size} bytes, and the API server stores at most ${largestRendered}. Largest files: ${largest.join(', ')}. Compress their contents (gzip), or make long lists such as registry mirrors shorter`,
  )
}

/** Before anything else looks at contents. */
function contentsFitIntoMemory(rendered: Rendered, { inUse }: Facts): Block | undefined {
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
    `the compressed files of the rendered configuration unpack to more than ${mebibytes(mostUnpackedBytes)}: ${someOf(sizes)}. Make them smaller, or ship them in the OS image`,
  )
}

/**
 * Judged against what the nodes are in and what they are on their way to. Going back to one of these is always allowed: a
 * mistake has to be undone without anybody touching a node. 4.12 left this to the nodes.
 */
function runningNodesCanTakeIt(rendered: Rendered, facts: Facts): Block | undefined {
  const { inUse, overrides, release } = facts
  if (release === '4.12' || inUse.some(({ metadata }) => metadata.name === rendered.name)) {
    return undefined
  }
  const rules = release === '4.16' ? '4.16' : { policies: mergePolicies() }
  const desired = { metadata: { name: rendered.name }, spec: { ...rendered.spec } }
  for (const current of inUse) {
    const { reconcilable, reasons } = plan({ current, desired, rules, facts: someNode, overrides })
    if (reconcilable) continue
    const because = reasons.map((reason) => `${reason}${broughtBy(reason, rendered)}`)
    return degraded(
      renderReasons.notReconcilable,
      `nodes in ${current.metadata.name} cannot take over the new configuration: ${someOf(because)}`,
    )
  }
  return undefined
}

/** Which MachineConfigs to look at for a reason that the planner gave. */
function broughtBy(reason: string, { sources, provenance }: Rendered): string {
  const from = sectionOf(reason).flatMap((section) => sources.ofSection(section))
  const [, path] = /\bfile (\/[^\s:;,]+)/.exec(reason) ?? []
  const brought = path === undefined ? undefined : provenance.file?.[path]
  if (brought !== undefined) from.push(brought)
  if (reason.includes('FIPS') && provenance.fips?.['']) from.push(provenance.fips[''])
  return from.length === 0 ? '' : ` (from ${someOf(from)})`
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
