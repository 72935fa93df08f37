import { plain, quoted } from '@machinist/core/quoted'
import { referenceTo } from '@machinist/core/objects/resource'
import type { Image, RegistrySources } from '../../../api/openshift-config.ts'
import { images } from '../../../api/openshift-config.ts'
import { clusterSettingsReasons as reasons } from '../../../api/reasons.ts'
import type { Problem } from '../model/problem.ts'
import { isNested, isRegistry, scopeProblem, trimmed } from '../model/scopes.ts'
import type { MirrorRule } from './mirror-rules.ts'
import type { Payload } from './payload.ts'
import { hasOpenMirror, payloadOf } from './payload.ts'

/** The registry lists of Image `cluster`, without invalid entries. */
export interface RegistryLists {
  /** Undefined if not set; an empty list generates files too. */
  readonly insecure: readonly string[] | undefined
  readonly search: readonly string[] | undefined
  /** For registries.conf. */
  readonly blocked: readonly string[]
  /** For policy.json, which matches image names before mirrors are applied. */
  readonly policyBlocked: readonly string[]
  readonly allowed: readonly string[]
  /** The release image, if its registry is blocked and nodes pull it from a mirror. */
  readonly payloadException: string | undefined
  readonly payload: Payload | undefined
  readonly problems: readonly Problem[]
}

type ListProblem = Omit<Problem, 'about'>

export function registryLists(
  image: Readonly<Image>,
  releaseImage: string | undefined,
  digest: readonly MirrorRule[],
): RegistryLists {
  const sources = image.spec?.registrySources ?? {}
  const insecure = validEntries(sources, 'insecureRegistries', 'leftOut')
  const search = validEntries(sources, 'containerRuntimeSearchRegistries', 'leftOut', searchProblem)
  const requested = validEntries(sources, 'blockedRegistries', 'held')
  const { scopes: allowed = [], problems: badAllowed } = validEntries(
    sources,
    'allowedRegistries',
    'held',
  )
  const payload = releaseImage === undefined ? undefined : payloadOf(releaseImage)
  const settings = { insecure: insecure.scopes ?? [], blocked: requested.scopes ?? [], digest }
  const { dropped, exception } = payload ? protection(payload, settings) : noProtection
  const blocked = settings.blocked.filter((scope) => !dropped.includes(scope))
  const policyBlocked = blocked.filter((scope) => scope !== payload?.repository)
  const isUnknown = releaseImage !== undefined && !payload && settings.blocked.length > 0
  const problems: ListProblem[] = [
    ...insecure.problems,
    ...search.problems,
    ...requested.problems,
    ...badAllowed,
    ...(isUnknown ? [unknownRelease(releaseImage)] : []),
    ...dropped.map((scope) => droppedProblem(scope, payload!)),
    ...allowedProblems(allowed, policyBlocked, payload),
  ]
  const about = referenceTo(images, image)
  return {
    insecure: insecure.scopes,
    search: search.scopes,
    blocked,
    policyBlocked,
    allowed,
    payloadException: exception,
    payload,
    problems: problems.map(({ reason, effect, message }) => ({ reason, effect, message, about })),
  }
}

interface ValidEntries {
  readonly scopes: readonly string[] | undefined
  readonly problems: readonly ListProblem[]
}

/** A list without its invalid entries. */
function validEntries(
  sources: Readonly<RegistrySources>,
  field: keyof RegistrySources,
  effect: Problem['effect'],
  problemOf: (scope: string) => string | undefined = scopeProblem,
): ValidEntries {
  const list = sources[field] ?? undefined
  const scopes = list?.filter((scope) => problemOf(scope) === undefined).map(trimmed)
  const problems = (list ?? []).flatMap((scope, i) => {
    const detail = problemOf(scope)
    const text = `.${field}[${i}]: invalid entry ${quoted(scope)}: ${detail}; correct or remove it`
    return detail === undefined ? [] : listProblem(reasons.badRegistries, effect, text)
  })
  return { scopes, problems }
}

/** An invalid registry makes the whole file unreadable for nodes. */
const searchProblem = (name: string): string | undefined =>
  isRegistry(trimmed(name)) ? undefined : 'it must be host[:port]'

interface Protection {
  /** Scopes that are not blocked, because nodes need them to pull the payload. */
  readonly dropped: readonly string[]
  /** The payload, if it is blocked and nodes pull it from a mirror. */
  readonly exception: string | undefined
}

const noProtection: Protection = { dropped: [], exception: undefined }

function protection(payload: Payload, settings: Parameters<typeof hasOpenMirror>[1]): Protection {
  const covering = settings.blocked.filter((scope) => isNested(payload.repository, scope))
  if (covering.length === 0) return noProtection
  return hasOpenMirror(payload, settings)
    ? { dropped: [], exception: payload.repository }
    : { dropped: covering, exception: undefined }
}

function droppedProblem(scope: string, { repository }: Payload): ListProblem {
  return listProblem(
    reasons.payloadProtected,
    'reported',
    `.blockedRegistries: ${plain(scope)} is not blocked, because nodes pull the release image ${repository} from it; remove the entry, or mirror the image to a registry that is not blocked`,
  )
}

function allowedProblems(
  allowed: readonly string[],
  policyBlocked: readonly string[],
  payload: Payload | undefined,
): ListProblem[] {
  const others = allowed.filter((scope) => scope !== payload?.repository)
  if (policyBlocked.length > 0 && others.length > 0) {
    const text = ': allowedRegistries and blockedRegistries are mutually exclusive; remove one'
    return [listProblem(reasons.badRegistries, 'held', text)]
  }
  if (allowed.length === 0 || !payload) return []
  if (allowed.some((one) => isNested(payload.repository, one))) return []
  const text = `.allowedRegistries: no entry allows the release image ${payload.repository}, so nodes cannot pull it; add it`
  return [listProblem(reasons.badRegistries, 'reported', text)]
}

function unknownRelease(image: string): ListProblem {
  const why =
    image === ''
      ? 'ClusterVersion version does not set status.desired.image'
      : `status.desired.image of ClusterVersion version is ${quoted(image)}, which is not an image name with a registry`
  const text = `.blockedRegistries: cannot check whether the release image is blocked: ${why}; correct the ClusterVersion`
  return listProblem(reasons.badRelease, 'held', text)
}

const listProblem = (reason: string, effect: Problem['effect'], text: string): ListProblem => ({
  reason,
  effect,
  message: `Image cluster: spec.registrySources${text}`,
})
