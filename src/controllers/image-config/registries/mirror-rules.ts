import { quoted } from '@machinist/core/quoted'
import type { KubeObject, Resource } from '@machinist/core/objects/resource'
import { referenceTo } from '@machinist/core/objects/resource'
import type {
  ImageContentPolicy,
  ImageContentSourcePolicy,
  ImageDigestMirrorSet,
  ImageTagMirrorSet,
  MirrorRule as MirrorRuleField,
} from '../../../api/openshift-config.ts'
import {
  imageContentPolicies,
  imageContentSourcePolicies,
  imageDigestMirrorSets,
  imageTagMirrorSets,
} from '../../../api/openshift-config.ts'
import { clusterSettingsReasons as reasons } from '../../../api/reasons.ts'
import type { Problem } from '../model/problem.ts'
import { isMirror, isSource } from '../model/scopes.ts'

/** The mirrors of a source, in order of preference. */
export interface MirrorRule {
  readonly source: string
  readonly mirrors: readonly string[]
  /** `mirrorSourcePolicy: NeverContactSource`. */
  readonly neverContactSource: boolean
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

interface FoundRule extends MirrorRule {
  readonly by: readonly ('digest' | 'tag')[]
  readonly object: Readonly<KubeObject>
  readonly resource: Resource
  readonly field: string
}

/**
 * The rules of all mirror sets. Each invalid rule is skipped. If two rules for the same source have different
 * mirrorSourcePolicies, the rule of the older object wins.
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
  const valid = found.filter((rule) => {
    const detail = ruleProblem(rule) ?? conflict(rule, first.get(rule.source))
    if (detail !== undefined) problems.push(problemOf(rule, detail))
    return detail === undefined && hasEffect(rule)
  })
  return {
    digest: valid.filter(({ by }) => by.includes('digest')),
    tag: valid.filter(({ by }) => by.includes('tag')),
    problems,
  }
}

/** The union of the rule fields of all kinds. */
type AnyRule = MirrorRuleField & { allowMirrorByTags?: boolean }

function rulesOf<Field extends string>(
  object: Readonly<KubeObject>,
  resource: Resource,
  field: Field,
  spec: Readonly<Partial<Record<Field, AnyRule[]>>> | undefined,
): FoundRule[] {
  const usual = field === 'imageTagMirrors' ? 'tag' : 'digest'
  return (spec?.[field] ?? []).map(
    ({ source, mirrors, mirrorSourcePolicy, allowMirrorByTags }, i) => ({
      source,
      mirrors: mirrors ?? [],
      neverContactSource: mirrorSourcePolicy === 'NeverContactSource',
      by: allowMirrorByTags ? [usual, 'tag'] : [usual],
      object,
      resource,
      field: `spec.${field}[${i}]`,
    }),
  )
}

/** A rule whose only mirror is the source itself has no effect. */
const hasEffect = ({ source, mirrors }: MirrorRule): boolean =>
  mirrors.some((mirror) => mirror !== source)

function ruleProblem({ source, mirrors, neverContactSource }: FoundRule): string | undefined {
  const form = 'use host[:port][/path] in lower case, without whitespace'
  if (!isSource(source)) {
    return `.source: invalid format for source ${quoted(source)}; ${form}, or *.domain`
  }
  const bad = mirrors.findIndex((mirror) => !isMirror(mirror))
  if (bad >= 0) {
    return `.mirrors[${bad}]: invalid format for mirror ${quoted(mirrors[bad]!)}; ${form}`
  }
  if (!neverContactSource || !mirrors.includes(source)) return undefined
  return `: mirrorSourcePolicy NeverContactSource conflicts with the source ${quoted(source)} in mirrors; remove the source from mirrors`
}

/** The rule that decides whether a source may be contacted: the oldest valid rule with mirrors, or else the oldest. */
function firstBySource(found: readonly FoundRule[]): ReadonlyMap<string, FoundRule> {
  const valid = found.filter((rule) => ruleProblem(rule) === undefined)
  const first = new Map<string, FoundRule>()
  for (const rule of [...valid.filter(hasEffect), ...valid]) {
    if (!first.has(rule.source)) first.set(rule.source, rule)
  }
  return first
}

function conflict(rule: FoundRule, first: FoundRule | undefined): string | undefined {
  if (!first || first.neverContactSource === rule.neverContactSource) return undefined
  const other = `${first.field} of ${first.resource.kind} ${first.object.metadata.name}`
  const todo = hasEffect(rule)
    ? ', which is older and wins; set the same policy in both'
    : '; this rule has no mirrors and no effect: remove it, or set the same policy in both'
  return `.mirrorSourcePolicy: the policy for source ${quoted(rule.source)} conflicts with ${other}${todo}`
}

function problemOf({ object, resource, field }: FoundRule, detail: string): Problem {
  return {
    reason: reasons.badMirrors,
    effect: 'leftOut',
    message: `${resource.kind} ${object.metadata.name}: ${field}${detail}`,
    about: referenceTo(resource, object),
  }
}

function byAge(a: FoundRule, b: FoundRule): number {
  const key = ({ object: { metadata }, resource }: FoundRule): string =>
    [metadata.creationTimestamp ?? '', resource.kind, metadata.name].join(' ')
  const [left, right] = [key(a), key(b)]
  if (left === right) return 0
  return left < right ? -1 : 1
}
