import type { Image, RegistrySources } from '../../api/openshift-config.ts'
import { images } from '../../api/openshift-config.ts'
import { clusterSettingsReasons as reasons } from '../../api/reasons.ts'
import { plain } from '@machinist/core/quoted'
import { referenceTo } from '@machinist/core/resource'
import type { MirrorRule } from './mirror-rules.ts'
import type { Payload } from './payload.ts'
import { hasOpenMirror, payloadOf } from './payload.ts'
import type { Problem } from './problem.ts'
import { isNested, isRegistry, scopeProblem, shown, trimmed } from './scopes.ts'

/** What Image `cluster` says of registries, as far as it can be done. */
export interface RegistryLists {
  /** Undefined where it is not said; files are made from an empty list too. */
  readonly insecure: readonly string[] | undefined
  readonly search: readonly string[] | undefined
  /** For registries.conf. */
  readonly blocked: readonly string[]
  /** For policy.json, where names are what they were before mirrors. */
  readonly policyBlocked: readonly string[]
  readonly allowed: readonly string[]
  /** Inside something blocked, and pulled from a mirror. */
  readonly payloadException: string | undefined
  readonly payload: Payload | undefined
  readonly problems: readonly Problem[]
}

type Told = Omit<Problem, 'about'>

export function registryLists(
  image: Readonly<Image>,
  releaseImage: string | undefined,
  digest: readonly MirrorRule[],
): RegistryLists {
  const sources = image.spec?.registrySources ?? {}
  const insecure = usable(sources, 'insecureRegistries', 'leftOut')
  const search = usable(sources, 'containerRuntimeSearchRegistries', 'leftOut', searchProblem)
  const asked = usable(sources, 'blockedRegistries', 'held')
  const { scopes: allowed = [], problems: badAllowed } = usable(
    sources,
    'allowedRegistries',
    'held',
  )
  const payload = releaseImage === undefined ? undefined : payloadOf(releaseImage)
  const wishes = { insecure: insecure.scopes ?? [], blocked: asked.scopes ?? [], digest }
  const { dropped, exception } = payload ? protection(payload, wishes) : noProtection
  const blocked = wishes.blocked.filter((scope) => !dropped.includes(scope))
  const policyBlocked = blocked.filter((scope) => scope !== payload?.repository)
  const isUnknown = releaseImage !== undefined && !payload && wishes.blocked.length > 0
  const told: Told[] = [
    ...insecure.problems,
    ...search.problems,
    ...asked.problems,
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
    problems: told.map(({ reason, effect, message }) => ({ reason, effect, message, about })),
  }
}

interface Usable {
  readonly scopes: readonly string[] | undefined
  readonly problems: readonly Told[]
}

/** A list without what is wrong in it. */
function usable(
  sources: Readonly<RegistrySources>,
  field: keyof RegistrySources,
  effect: Problem['effect'],
  problemOf: (scope: string) => string | undefined = scopeProblem,
): Usable {
  const list = sources[field] ?? undefined
  const good = list?.filter((scope) => problemOf(scope) === undefined).map(trimmed)
  const problems = (list ?? []).flatMap((scope, i) => {
    const wrong = problemOf(scope)
    const text = `.${field}[${i}]: invalid entry ${shown(scope)}: ${wrong}; mend or remove it`
    return wrong === undefined ? [] : told(reasons.badRegistries, effect, text)
  })
  return { scopes: good, problems }
}

/** One that is none would keep nodes from reading all of the file. */
const searchProblem = (name: string): string | undefined =>
  isRegistry(trimmed(name)) ? undefined : 'it has to be host[:port]'

interface Protection {
  /** What is not blocked, so that nodes get the payload. */
  readonly dropped: readonly string[]
  /** The payload, if it is blocked and nodes get it from a mirror. */
  readonly exception: string | undefined
}

const noProtection: Protection = { dropped: [], exception: undefined }

function protection(payload: Payload, wishes: Parameters<typeof hasOpenMirror>[1]): Protection {
  const covering = wishes.blocked.filter((scope) => isNested(payload.repository, scope))
  if (covering.length === 0) return noProtection
  return hasOpenMirror(payload, wishes)
    ? { dropped: [], exception: payload.repository }
    : { dropped: covering, exception: undefined }
}

function droppedProblem(scope: string, { repository }: Payload): Told {
  return told(
    reasons.payloadProtected,
    'told',
    `.blockedRegistries: ${plain(scope)} is not blocked, as nodes pull the release image ${repository} from it; remove it, or mirror that image to where nothing is blocked`,
  )
}

function allowedProblems(
  allowed: readonly string[],
  policyBlocked: readonly string[],
  payload: Payload | undefined,
): Told[] {
  const others = allowed.filter((scope) => scope !== payload?.repository)
  if (policyBlocked.length > 0 && others.length > 0) {
    const text = ': only one of allowedRegistries and blockedRegistries may be set; remove one'
    return [told(reasons.badRegistries, 'held', text)]
  }
  if (allowed.length === 0 || !payload) return []
  if (allowed.some((one) => isNested(payload.repository, one))) return []
  const text = `.allowedRegistries: none allows the release image ${payload.repository}, so that nodes cannot pull it; add it`
  return [told(reasons.badRegistries, 'told', text)]
}

function unknownRelease(image: string): Told {
  const why =
    image === ''
      ? 'ClusterVersion version does not name one in status.desired.image'
      : `status.desired.image of ClusterVersion version is ${shown(image)}, which is no image name with a registry`
  const text = `.blockedRegistries: whether it blocks the release image cannot be told, as ${why}`
  return told(reasons.badRelease, 'held', text)
}

const told = (reason: string, effect: Problem['effect'], text: string): Told => ({
  reason,
  effect,
  message: `Image cluster: spec.registrySources${text}`,
})
