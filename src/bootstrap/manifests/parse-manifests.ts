import { InvalidInput } from '@machinist/core/errors'
import { isObject } from '@machinist/core/encoding/json'
import { parseYamlDocuments } from '@machinist/core/encoding/yaml'
import type { ObjectMeta, Resource } from '@machinist/core/objects/resource'
import { apiVersionOf } from '@machinist/core/objects/resource'
import { plain } from '@machinist/core/quoted'
import { makerOf } from '../../api/maker.ts'
import { machineConfigs } from '../../api/kinds/resources.ts'
import { itemsOf } from '../../views/documents.ts'
import { inputKinds, ownGroups, stateKinds } from './input-kinds.ts'
import type { BootstrapProblem, Manifest, ManifestObject } from './manifest.ts'
import { describeManifest } from './manifest.ts'

export interface ParsedManifests {
  readonly manifests: readonly Manifest[]
  readonly problems: readonly BootstrapProblem[]
  /** Objects of kinds that do not matter, by kind. */
  readonly ignored: ReadonlyMap<string, number>
  /** MachineConfigs of controllers: they are generated again. */
  readonly generated: readonly Manifest[]
}

type Document =
  | { readonly manifest: Manifest }
  | { readonly generated: Manifest }
  | { readonly problem: BootstrapProblem }
  | { readonly ignored: string }

/** The objects in the texts of files, by path. Reports every problem, not only the first. */
export function parseManifests(files: ReadonlyMap<string, string>): ParsedManifests {
  const documents = [...files].flatMap(([file, text]) => documentsIn(file, text))
  const manifests = documents.flatMap((one) => ('manifest' in one ? one.manifest : []))
  const problems = documents.flatMap((one) => ('problem' in one ? one.problem : []))
  const ignored = Map.groupBy(
    documents.flatMap((one) => ('ignored' in one ? one.ignored : [])),
    (kind) => kind,
  )
  return {
    manifests,
    problems: [...problems, ...repeated(manifests)],
    ignored: new Map([...ignored].map(([kind, all]) => [kind, all.length])),
    generated: documents.flatMap((one) => ('generated' in one ? one.generated : [])),
  }
}

function documentsIn(file: string, text: string): Document[] {
  try {
    return parseYamlDocuments(text, file).flatMap((document, index) =>
      isObject(document)
        ? itemsOf(document).map((item) => documentOf(item, file, index))
        : { problem: { file, message: `document ${index + 1} is not an object` } },
    )
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    // The parser already names the file.
    return [{ problem: { file, message: error.message.replace(`${file}: `, '') } }]
  }
}

function documentOf(item: Record<string, unknown>, file: string, index: number): Document {
  const problem = (message: string): Document => ({ problem: { file, message } })
  const { apiVersion, kind } = item
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') {
    return problem(`document ${index + 1} has no apiVersion or no kind`)
  }
  const resource = inputKinds.find((one) => one.kind === kind && one.group === groupOf(apiVersion))
  if (!resource) {
    if (!ownGroups.has(groupOf(apiVersion)) || stateKinds.has(kind)) return { ignored: kind }
    return problem(`unknown kind ${plain(kind)} of ${plain(apiVersion)}`)
  }
  const expected = apiVersionOf(resource)
  if (apiVersion !== expected) {
    return problem(`${kind}: apiVersion ${plain(apiVersion)} is not supported; use ${expected}`)
  }
  const metadata = metadataIn(item['metadata'], resource)
  if (typeof metadata === 'string') return problem(`document ${index + 1}, ${kind}: ${metadata}`)
  const object = { ...item, apiVersion, kind, metadata } as ManifestObject
  const manifest = { object, resource, file }
  const isGenerated = resource === machineConfigs && makerOf(object).type !== 'user'
  return isGenerated ? { generated: manifest } : { manifest }
}

const groupOf = (apiVersion: string): string =>
  apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : ''

/** kubectl's copy of the object. */
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration'

/** The metadata that users set, or what is wrong with it. An export also has fields of the server, which belong to its cluster. */
function metadataIn(metadata: unknown, { namespaced }: Resource): ObjectMeta | string {
  if (!isObject(metadata)) return 'metadata is missing'
  const { name, namespace, labels, annotations } = metadata
  if (typeof name !== 'string' || name === '') return 'metadata.name is missing'
  if (namespaced && (typeof namespace !== 'string' || namespace === '')) {
    return `metadata.namespace of ${plain(name)} is missing`
  }
  const known = isObject(annotations)
    ? Object.fromEntries(Object.entries(annotations).filter(([key]) => key !== lastApplied))
    : annotations
  return {
    name,
    ...(namespaced && { namespace: namespace as string }),
    // The API server checks the values.
    ...(labels !== undefined && labels !== null && { labels: labels as Record<string, string> }),
    ...(known !== undefined && known !== null && { annotations: known as Record<string, string> }),
  }
}

/** Objects that several files or documents contain: it is unknown which one counts. */
function repeated(manifests: readonly Manifest[]): BootstrapProblem[] {
  const groups = Map.groupBy(manifests, (one) => `${one.resource.group} ${describeManifest(one)}`)
  return [...groups.values()].flatMap(([first, second]) => {
    if (!first || !second) return []
    const where = first.file === second.file ? 'twice in this file' : `also in ${first.file}`
    return [{ file: second.file, message: `${describeManifest(second)} is ${where}` }]
  })
}
