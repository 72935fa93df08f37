import { InvalidInput } from '@machinist/core/errors'
import { quoted } from '@machinist/core/quoted'
import { nodePaths } from '../../api/node-paths.ts'
import type { Image } from '../../api/openshift-config.ts'
import { clusterSettingsReasons as reasons } from '../../api/reasons.ts'
import type { Registry } from '../../planner/actions/registries.ts'
import { readRegistries } from '../../planner/actions/registries.ts'
import type { GeneratedFile } from '../generated/files-spec.ts'
import { editRegistries } from './registries/edit-registries.ts'
import { keepMirrors } from './registries/keep-mirrors.ts'
import type { MirrorRules, MirrorSets } from './registries/mirror-rules.ts'
import { mirrorRules } from './registries/mirror-rules.ts'
import type { Payload } from './registries/payload.ts'
import { cutOffBy } from './registries/payload.ts'
import { makePolicyFiles } from './signatures/policy-files.ts'
import type { Problem } from './model/problem.ts'
import { readRegistriesConf, registriesText, scopeOf } from './registries/registries-conf.ts'
import type { RegistryLists } from './registries/registry-lists.ts'
import { registryLists } from './registries/registry-lists.ts'
import { isInside, isNested } from './model/scopes.ts'
import type { PolicyObjects, SignaturePolicies } from './signatures/signature-policies.ts'
import { signaturePolicies } from './signatures/signature-policies.ts'
import { signaturePlaces, signaturePlacesText } from './signatures/sigstore-registries.ts'
import type { StoredFiles } from './model/stored-files.ts'
import { ifReadable } from './model/stored-files.ts'

/** The objects that configure images. */
export interface ImageObjects extends MirrorSets, PolicyObjects {
  readonly image: Readonly<Image>
  /** `status.desired.image` of the ClusterVersion; empty if not set, undefined outside OpenShift. */
  readonly releaseImage: string | undefined
}

/** The valid settings, the same for all pools. */
export interface ImageSettings {
  readonly rules: MirrorRules
  readonly lists: RegistryLists
  readonly signatures: SignaturePolicies
  readonly hasMirrorSets: boolean
  /** In OpenShift, a pool has a MachineConfig even without settings. */
  readonly isOpenShift: boolean
  readonly problems: readonly Problem[]
}

/** Pure. `otherProblems` are reported with those of the objects. */
export function readImageSettings(
  objects: ImageObjects,
  otherProblems: readonly Problem[] = [],
): ImageSettings {
  const rules = mirrorRules(objects)
  const lists = registryLists(objects.image, objects.releaseImage, rules.digest)
  const signatures = signaturePolicies(objects, lists)
  const { digestSets, contentPolicies, contentSourcePolicies, tagSets } = objects
  return {
    rules,
    lists,
    signatures,
    hasMirrorSets: [digestSets, contentPolicies, contentSourcePolicies, tagSets].flat().length > 0,
    isOpenShift: objects.releaseImage !== undefined,
    problems: [...lists.problems, ...rules.problems, ...signatures.problems, ...otherProblems],
  }
}

/** The files that the templates render for a role, before the settings of the cluster are applied. */
export interface BaseFiles {
  readonly registries: string
  readonly policy: string
}

export interface NodeFiles {
  readonly files: readonly GeneratedFile[]
  readonly problems: readonly Problem[]
}

/** Pure. The files for the nodes of a role; `stored` are their current files. Throws InvalidInput if a base file cannot be read. */
export function makeNodeFiles(
  settings: ImageSettings,
  base: BaseFiles,
  stored: StoredFiles,
): NodeFiles {
  const { lists } = settings
  const registries = registriesOf(settings, base, stored)
  const policies = makePolicyFiles(settings, base.policy, stored)
  const places = signaturePlaces(policies.signedScopes, registries?.entries ?? [])
  const { search } = lists
  const searchText = search && registriesText({ ...noRegistries, search })
  const files: GeneratedFile[] = [
    ...(registries ? [{ path: nodePaths.registries, text: registries.text }] : []),
    ...policies.files,
    ...(places.length > 0 ? [{ path: placesPath, text: signaturePlacesText(places) }] : []),
    ...(searchText === undefined ? [] : [{ path: searchPath, text: searchText }]),
  ]
  const { payload } = lists
  const cutOff = payload && registries && cutOffBy(payload, registries.entries)
  return { files, problems: cutOff ? [cutOffProblem(payload, scopeOf(cutOff), settings)] : [] }
}

const searchPath = `${nodePaths.registryDropins}/01-image-searchRegistries.conf`
const placesPath = '/etc/containers/registries.d/sigstore-registries.yaml'
const noRegistries = { registries: [], shortNameMode: '', layerStoreHelper: '' }

function registriesOf(
  { lists, rules, hasMirrorSets }: ImageSettings,
  base: BaseFiles,
  stored: StoredFiles,
): { readonly text: string; readonly entries: readonly Registry[] } | undefined {
  if (!lists.insecure && lists.blocked.length === 0 && !hasMirrorSets) return undefined
  const conf = editRegistries(readBase(base), {
    insecure: lists.insecure ?? [],
    blocked: lists.blocked,
    digest: rules.digest,
    tag: rules.tag,
  })
  const old = rules.problems.length > 0 ? stored.get(nodePaths.registries) : undefined
  const before = old === undefined ? undefined : ifReadable(() => readRegistries(old).byScope)
  const isInsecure = isInside(lists.insecure ?? [])
  const registries = keepMirrors(conf.registries, before?.values() ?? [], isInsecure)
  return { text: registriesText({ ...conf, registries }), entries: registries }
}

function readBase({ registries }: BaseFiles): ReturnType<typeof readRegistriesConf> {
  try {
    return readRegistriesConf(registries)
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    throw new InvalidInput(`${nodePaths.registries}: ${error.message}`, { cause: error })
  }
}

/** Names the setting that blocks the release image: a mirror rule, `blockedRegistries`, or the base file of nodes. */
function cutOffProblem(
  { repository, by }: Payload,
  scope: string,
  { rules, lists }: ImageSettings,
): Problem {
  const covers = (one: string): boolean => isNested(repository, one)
  const never = [...rules.digest, ...rules.tag].find(
    (rule) => rule.neverContactSource && covers(rule.source),
  )
  const blocked = lists.blocked.find(covers)
  const image = `the release image ${repository}`
  const unmirrored = `its entry in registries.conf, ${quoted(scope)}, has no ${by} mirror`
  const message = never
    ? `a mirror rule with NeverContactSource for source ${quoted(never.source)} leaves nodes no registry to pull ${image} from; add a ${by} mirror, or set AllowContactingSource`
    : blocked !== undefined
      ? `Image cluster: spec.registrySources.blockedRegistries: ${quoted(blocked)} blocks ${image}, and ${unmirrored}; add a ${by} mirror, or remove ${quoted(blocked)}`
      : `nodes have no registry to pull ${image} from: it is blocked, and ${unmirrored}; add a ${by} mirror`
  return { reason: reasons.payloadProtected, effect: 'held', message }
}
