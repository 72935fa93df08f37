import type {
  ImageContentPolicy,
  ImageContentSourcePolicy,
  ImageDigestMirrorSet,
  ImageTagMirrorSet,
  MirrorRule as MirrorRuleField,
} from '../../api/openshift-config.ts'
import {
  imageContentPolicies,
  imageContentSourcePolicies,
  imageDigestMirrorSets,
  imageTagMirrorSets,
} from '../../api/openshift-config.ts'
import { clusterSettingsReasons as reasons } from '../../api/reasons.ts'
import type { KubeObject, Resource } from '@machinist/core/resource'
import { referenceTo } from '@machinist/core/resource'
import type { Problem } from './problem.ts'
import { isMirror, isSource, shown } from './scopes.ts'

/** Where images of a source are looked for before the source itself, the preferred place first. */
export interface MirrorRule {
  readonly source: string
  readonly mirrors: readonly string[]
  /** The source itself must not be asked. */
  readonly never: boolean
}

export interface MirrorSets {
  readonly digestSets: readonly Readonly<ImageDigestMirrorSet>[]
  readonly contentPolicies: readonly Readonly<ImageContentPolicy>[]
  readonly contentSourcePolicies: readonly Readonly<ImageContentSourcePolicy>[]
  readonly tagSets: readonly Readonly<ImageTagMirrorSet>[]
}

export interface MirrorRules {
  readonly digest: readonly MirrorRule[]
  readonly tag: readonly MirrorRule[]
  readonly problems: readonly Problem[]
}

interface Found extends MirrorRule {
  readonly by: readonly ('digest' | 'tag')[]
  readonly object: Readonly<KubeObject>
  readonly place: Resource
  readonly field: string
}

/**
 * The rules of all mirror sets. One that cannot be used is left out, alone. Where two speak of the same source and say
 * differently whether it may be asked, the older object has its way.
 */
export function mirrorRules({
  digestSets,
  contentPolicies,
  contentSourcePolicies,
  tagSets,
}: MirrorSets): MirrorRules {
  const found = [
    ...digestSets.flatMap((object) =>
      rulesOf(object, imageDigestMirrorSets, 'imageDigestMirrors', object.spec),
    ),
    ...contentPolicies.flatMap((object) =>
      rulesOf(object, imageContentPolicies, 'repositoryDigestMirrors', object.spec),
    ),
    ...contentSourcePolicies.flatMap((object) =>
      rulesOf(object, imageContentSourcePolicies, 'repositoryDigestMirrors', object.spec),
    ),
    ...tagSets.flatMap((object) =>
      rulesOf(object, imageTagMirrorSets, 'imageTagMirrors', object.spec),
    ),
  ].sort(byAge)
  const problems: Problem[] = []
  const first = firstBySource(found)
  const good = found.filter((rule) => {
    const wrong = ruleProblem(rule) ?? conflict(rule, first.get(rule.source))
    if (wrong !== undefined) problems.push(problemOf(rule, wrong))
    return wrong === undefined && isReal(rule)
  })
  return {
    digest: good.filter(({ by }) => by.includes('digest')),
    tag: good.filter(({ by }) => by.includes('tag')),
    problems,
  }
}

/** As the kinds write it; each has some of it. */
type AnyRule = MirrorRuleField & { allowMirrorByTags?: boolean }

function rulesOf<Field extends string>(
  object: Readonly<KubeObject>,
  place: Resource,
  field: Field,
  spec: Readonly<Partial<Record<Field, AnyRule[]>>> | undefined,
): Found[] {
  const usual = field === 'imageTagMirrors' ? 'tag' : 'digest'
  return (spec?.[field] ?? []).map(
    ({ source, mirrors, mirrorSourcePolicy, allowMirrorByTags }, i) => ({
      source,
      mirrors: mirrors ?? [],
      never: mirrorSourcePolicy === 'NeverContactSource',
      by: allowMirrorByTags ? [usual, 'tag'] : [usual],
      object,
      place,
      field: `spec.${field}[${i}]`,
    }),
  )
}

/** Whoever names only the source itself as its mirror says nothing. */
const isReal = ({ source, mirrors }: MirrorRule): boolean =>
  mirrors.some((mirror) => mirror !== source)

function ruleProblem({ source, mirrors, never }: Found): string | undefined {
  const form = 'write host[:port][/path] in small letters and without blanks'
  if (!isSource(source)) {
    return `.source: invalid format for source ${shown(source)}; ${form}, or *.domain`
  }
  const bad = mirrors.findIndex((mirror) => !isMirror(mirror))
  if (bad >= 0) {
    return `.mirrors[${bad}]: invalid format for mirror ${shown(mirrors[bad]!)}; ${form}`
  }
  if (!never || !mirrors.includes(source)) return undefined
  return `: mirrorSourcePolicy NeverContactSource cannot be if the source ${shown(source)} is one of the mirrors; take it out of them`
}

/** Whose word about asking the source counts: the oldest usable rule that has mirrors, or else the oldest. */
function firstBySource(found: readonly Found[]): ReadonlyMap<string, Found> {
  const usable = found.filter((rule) => ruleProblem(rule) === undefined)
  const first = new Map<string, Found>()
  for (const rule of [...usable.filter(isReal), ...usable]) {
    if (!first.has(rule.source)) first.set(rule.source, rule)
  }
  return first
}

function conflict(rule: Found, first: Found | undefined): string | undefined {
  if (!first || first.never === rule.never) return undefined
  const theirs = `${first.field} of ${first.place.kind} ${first.object.metadata.name}`
  const todo = isReal(rule)
    ? ', which was there first; say the same in both'
    : '; this rule has no mirrors, so it has no effect: remove it, or say the same in both'
  return `.mirrorSourcePolicy: conflicting mirrorSourcePolicy for source ${shown(rule.source)}, other than in ${theirs}${todo}`
}

function problemOf({ object, place, field }: Found, wrong: string): Problem {
  return {
    reason: reasons.badMirrors,
    effect: 'leftOut',
    message: `${place.kind} ${object.metadata.name}: ${field}${wrong}`,
    about: referenceTo(place, object),
  }
}

function byAge(a: Found, b: Found): number {
  const key = ({ object: { metadata }, place }: Found): string =>
    [metadata.creationTimestamp ?? '', place.kind, metadata.name].join(' ')
  const [left, right] = [key(a), key(b)]
  if (left === right) return 0
  return left < right ? -1 : 1
}
