import { nodePaths } from '../../api/node-paths.ts'
import type { Image } from '../../api/openshift-config.ts'
import { clusterSettingsReasons as reasons } from '../../api/reasons.ts'
import { InvalidInput } from '@machinist/core/errors'
import type { Registry } from '../../planner/registries.ts'
import { readRegistries } from '../../planner/registries.ts'
import type { GeneratedFile } from '../generated/files-spec.ts'
import { editRegistries } from './edit-registries.ts'
import { keepMirrors } from './keep.ts'
import type { MirrorRules, MirrorSets } from './mirror-rules.ts'
import { mirrorRules } from './mirror-rules.ts'
import type { Payload } from './payload.ts'
import { cutOffBy } from './payload.ts'
import { policyFiles } from './policy-files.ts'
import type { Problem } from './problem.ts'
import { readRegistriesConf, registriesText, scopeOf } from './registries-conf.ts'
import type { RegistryLists } from './registry-lists.ts'
import { registryLists } from './registry-lists.ts'
import { isInside, isNested, shown } from './scopes.ts'
import type { PolicyObjects, SignaturePolicies } from './signature-policies.ts'
import { signaturePolicies } from './signature-policies.ts'
import { signaturePlaces, signaturePlacesText } from './sigstore-registries.ts'
import type { StoredFiles } from './stored-files.ts'
import { ifReadable } from './stored-files.ts'

/** All that the cluster says about images. */
export interface ClusterWord extends MirrorSets, PolicyObjects {
  readonly image: Readonly<Image>
  /** What the ClusterVersion wants; empty if it does not say. A cluster that is no OpenShift has none. */
  readonly releaseImage: string | undefined
}

/** What can be done of it, whatever a pool's own files are. */
export interface Understood {
  readonly rules: MirrorRules
  readonly lists: RegistryLists
  readonly signatures: SignaturePolicies
  readonly hasMirrorSets: boolean
  /** There, a pool has a MachineConfig also where nothing is asked. */
  readonly isOpenShift: boolean
  readonly problems: readonly Problem[]
}

/** Pure. `more` is what is known to be wrong besides. */
export function understand(word: ClusterWord, more: readonly Problem[] = []): Understood {
  const rules = mirrorRules(word)
  const lists = registryLists(word.image, word.releaseImage, rules.digest)
  const signatures = signaturePolicies(word, lists)
  const { digestSets, contentPolicies, contentSourcePolicies, tagSets } = word
  return {
    rules,
    lists,
    signatures,
    hasMirrorSets: [digestSets, contentPolicies, contentSourcePolicies, tagSets].flat().length > 0,
    isOpenShift: word.releaseImage !== undefined,
    problems: [...lists.problems, ...rules.problems, ...signatures.problems, ...more],
  }
}

/** The files that a role's templates make, as a pool's nodes would have them without us. */
export interface BaseFiles {
  readonly registries: string
  readonly policy: string
}

export interface Settled {
  readonly files: readonly GeneratedFile[]
  readonly problems: readonly Problem[]
}

/**
 * Pure. The files for the nodes of a role; `stored` are those that they have. Throws InvalidInput if the base cannot be
 * read.
 */
export function settle(understood: Understood, base: BaseFiles, stored: StoredFiles): Settled {
  const { lists } = understood
  const registries = registriesOf(understood, base, stored)
  const asked = policyFiles(understood, base.policy, stored)
  const places = signaturePlaces(asked.signedScopes, registries?.entries ?? [])
  const { search } = lists
  const searchText = search && registriesText({ ...noRegistries, search })
  const files: GeneratedFile[] = [
    ...(registries ? [{ path: nodePaths.registries, text: registries.text }] : []),
    ...asked.files,
    ...(places.length > 0 ? [{ path: placesPath, text: signaturePlacesText(places) }] : []),
    ...(searchText === undefined ? [] : [{ path: searchPath, text: searchText }]),
  ]
  const { payload } = lists
  const cutOff = payload && registries && cutOffBy(payload, registries.entries)
  return { files, problems: cutOff ? [cutOffProblem(payload, scopeOf(cutOff), understood)] : [] }
}

const searchPath = `${nodePaths.registryDropins}/01-image-searchRegistries.conf`
const placesPath = '/etc/containers/registries.d/sigstore-registries.yaml'
const noRegistries = { registries: [], shortNameMode: '', layerStoreHelper: '' }

function registriesOf(
  { lists, rules, hasMirrorSets }: Understood,
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

/** Names what blocks the release image: a mirror rule, the list of blocked registries, or what nodes have already. */
function cutOffProblem(
  { repository, by }: Payload,
  scope: string,
  { rules, lists }: Understood,
): Problem {
  const covers = (one: string): boolean => isNested(repository, one)
  const never = [...rules.digest, ...rules.tag].find((rule) => rule.never && covers(rule.source))
  const blocked = lists.blocked.find(covers)
  const image = `the release image ${repository}`
  const unmirrored = `the entry of registries.conf that decides about it, ${shown(scope)}, has no mirror for images by ${by}`
  const message = never
    ? `a mirror rule with NeverContactSource for source ${shown(never.source)} would leave nodes no place to pull ${image} from; add a ${by} mirror for it, or allow to contact the source`
    : blocked !== undefined
      ? `Image cluster: spec.registrySources.blockedRegistries: ${shown(blocked)} blocks ${image}, and ${unmirrored}; add one, or remove ${shown(blocked)}`
      : `nodes have no place to pull ${image} from: it is blocked, and ${unmirrored}; add one`
  return { reason: reasons.payloadProtected, effect: 'held', message }
}
