import { nodePaths } from '../../api/node-paths.ts'
import type { TrustPayloads } from '../../api/trust/digests.ts'
import { bundleFile, registryFiles } from '../../api/trust/digests.ts'
import { bundleProblem } from '../../fleet/trust/bundle-problem.ts'
import { hostProblem, registryPath } from '../../fleet/trust/registries.ts'

/** A file of CAs, with the same bytes as the trust lane of the daemon writes. */
export interface TrustFile {
  readonly path: string
  readonly content: Uint8Array
}

/** The CAs that a new machine trusts from its first boot on. */
export interface ServedTrust {
  /** CAs of the kubelet's clients and of the cloud provider. */
  readonly bundles: readonly TrustFile[]
  readonly registries: readonly TrustFile[]
  /** Why an item is not served, one sentence each. The machine then gets the file of the MachineConfig, if there is one. */
  readonly problems: readonly string[]
}

/** The trust items of a ControllerConfig. An invalid item is left out and does not affect the others. */
export function servedTrust(spec: TrustPayloads): ServedTrust {
  const problems: string[] = []
  const usable = (field: string, path: string, content: Uint8Array): TrustFile[] => {
    const problem = bundleProblem(content)
    if (problem === undefined) return [{ path, content }]
    problems.push(`${field}: ${problem}`)
    return []
  }
  const bundle = (field: 'kubeAPIServerServingCAData' | 'cloudProviderCAData', path: string) => {
    const data = spec[field]
    return data ? usable(field, path, bundleFile(data)) : []
  }
  const bundles = [
    ...bundle('kubeAPIServerServingCAData', nodePaths.kubeletCA),
    ...bundle('cloudProviderCAData', nodePaths.cloudCA),
  ]
  const registries = [...registryFiles(spec)].flatMap(([host, content]) => {
    const problem = hostProblem(host)
    if (problem === undefined) return usable(`registry ${host}`, registryPath(host), content)
    problems.push(`registry ${host}: ${problem}`)
    return []
  })
  return { bundles, registries, problems }
}

export function sameTrust(a: ServedTrust | undefined, b: ServedTrust | undefined): boolean {
  if (!a || !b) return a === b
  return (
    sameFiles(a.bundles, b.bundles) &&
    sameFiles(a.registries, b.registries) &&
    a.problems.join('\n') === b.problems.join('\n')
  )
}

function sameFiles(a: readonly TrustFile[], b: readonly TrustFile[]): boolean {
  return (
    a.length === b.length &&
    a.every(
      ({ path, content }, i) => path === b[i]!.path && Buffer.compare(content, b[i]!.content) === 0,
    )
  )
}
