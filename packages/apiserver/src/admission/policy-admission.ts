import type { Labels } from '@machinist/core/selectors'
import type { ApiObject } from '../kinds/kind-rules.ts'
import type { ServedKind } from '../kinds/served-kind.ts'
import type { Refusal } from '../refusal.ts'
import { dynamicValue } from '../schema/cel-values.ts'
import { objectKey } from '../verbs/object-key.ts'
import { shownObject } from '../verbs/stored-object.ts'
import type { VerbContext } from '../verbs/verb-context.ts'
import type { AdmissionRequest, GroupVersionKind } from './admission-request.ts'
import type { Decisions } from './decisions.ts'
import { decide } from './decisions.ts'
import { denial } from './denial.ts'
import { converted, EquivalentKinds } from './equivalent-kinds.ts'
import { Evaluation } from './evaluation.ts'
import { Misconfigured, paramGroupKind, paramsOf } from './params.ts'
import { policyGroup } from './policy-objects.ts'
import type { ActiveBinding, ActivePolicy } from './policy-set.ts'
import { PolicySet } from './policy-set.ts'
import { authorizerValue, namespaceValue, requestValue } from './request-values.ts'
import type { Rights } from './request-values.ts'
import type { Surroundings } from './resource-matching.ts'

/** Holds every write of a client against the ValidatingAdmissionPolicies that are bound. */
export class PolicyAdmission {
  readonly #context: VerbContext
  readonly #rights: Rights
  readonly #policies: PolicySet
  readonly #equivalents: EquivalentKinds

  constructor(context: VerbContext, rights: Rights) {
    this.#context = context
    this.#rights = rights
    this.#policies = new PolicySet(context)
    this.#equivalents = new EquivalentKinds(context.kinds)
  }

  stop(): void {
    this.#policies.stop()
  }

  /** Throws the first denial; warnings go to the client. */
  admit(request: AdmissionRequest): void {
    if (this.#policies.isEmpty || isExempt(request)) return
    const equivalents = this.#equivalents.of(request.kind)
    const policies = this.#policies.about([request.kind, ...equivalents])
    if (policies.length === 0) return
    const namespace = lazily(() => this.#namespaceOf(request))
    const surroundings = { equivalents, namespaceLabels: () => labelsOf(request, namespace()) }
    const scene = { request, surroundings, namespace, values: valuesByKind(request) }
    const denials = policies.flatMap((policy) => this.#denials(policy, scene))
    if (denials[0]) throw denials[0]
  }

  #denials(policy: ActivePolicy, scene: Scene): Refusal[] {
    const { request, surroundings } = scene
    const matched = policy.matcher.match(request, surroundings)
    if (!matched) return []
    const paramKind = policy.spec.paramKind && paramGroupKind(policy.spec.paramKind)
    const servedParams = paramKind && this.#served(paramKind)
    if (paramKind && !servedParams) {
      return this.#misconfigured(request, policy, undefined, notServed(paramKind))
    }
    return policy.bindings.flatMap((binding) => {
      if (!binding.matcher.match(request, surroundings)) return []
      try {
        return this.#bound(policy, binding, { ...scene, matched }, servedParams)
      } catch (error) {
        if (!(error instanceof Misconfigured)) throw error
        return this.#misconfigured(request, policy, binding, error.message)
      }
    })
  }

  #bound(
    policy: ActivePolicy,
    binding: ActiveBinding,
    scene: MatchedScene,
    paramKind: ServedKind | undefined,
  ): Refusal[] {
    const { request } = scene
    const params = paramKind
      ? paramsOf(this.#context, paramKind, binding.spec.paramRef, request.namespace)
      : [null]
    return params.flatMap((param) => {
      const decisions = this.#decisions(policy, scene, param)
      return this.#acted(policy, binding, request, decisions)
    })
  }

  #decisions(policy: ActivePolicy, scene: MatchedScene, param: ApiObject | null): Decisions {
    const { request, namespace } = scene
    const values = { ...scene.values(scene.matched), params: dynamicValue(param) }
    const evaluation = (namespaceObject: unknown): Evaluation =>
      new Evaluation((chargeCheck) => {
        const authorizer = authorizerValue(request, this.#rights, chargeCheck)
        return { ...values, namespaceObject, authorizer }
      }, policy.compiled().variables)
    return decide(
      policy.compiled(),
      policy.spec.failurePolicy === 'Ignore',
      evaluation(null),
      evaluation(namespaceValue(namespace())),
    )
  }

  #acted(
    policy: ActivePolicy,
    { name, spec }: ActiveBinding,
    request: AdmissionRequest,
    { objections, denials }: Decisions,
  ): Refusal[] {
    const { validationActions = [] } = spec
    if (validationActions.includes('Warn')) {
      for (const { message } of objections) {
        request.warn(
          `Validation failed for ValidatingAdmissionPolicy '${policy.name}' with binding '${name}': ${message}`,
        )
      }
    }
    const denied = validationActions.includes('Deny') ? [...objections, ...denials] : denials
    return denied.map((objection) => denial(request, policy.name, name, objection))
  }

  #misconfigured(
    request: AdmissionRequest,
    { name, spec }: ActivePolicy,
    binding: ActiveBinding | undefined,
    why: string,
  ): Refusal[] {
    if (spec.failurePolicy === 'Ignore') return []
    const message = `failed to configure ${binding ? 'binding' : 'policy'}: ${why}`
    return [denial(request, name, binding?.name, { message, reason: 'Invalid' })]
  }

  #served({ group, version, kind }: GroupVersionKind): ServedKind | undefined {
    return this.#context.kinds.findKind(group, version, kind)
  }

  /** The namespace that the object is in; a namespace itself is in none. */
  #namespaceOf({ namespace, kind }: AdmissionRequest): ApiObject | undefined {
    const { kinds, store } = this.#context
    const namespaces = kinds.find('', 'v1', 'namespaces')
    if (namespace === '' || !namespaces || kind === namespaces) return undefined
    const stored = store.get(objectKey(namespaces, undefined, namespace))
    return stored && shownObject(namespaces, stored)
  }
}

interface Scene {
  readonly request: AdmissionRequest
  readonly surroundings: Surroundings
  readonly namespace: () => ApiObject | undefined
  /** What expressions see of the request where it matches as this kind. */
  readonly values: (matched: ServedKind) => Values
}

type Values = Readonly<Record<string, unknown>>

interface MatchedScene extends Scene {
  readonly matched: ServedKind
}

const reviewGroups = new Set(['authentication.k8s.io', 'authorization.k8s.io'])

/** Nobody may lock themselves out of the policies, and reviews are questions and not writes. */
function isExempt({ kind: { group } }: AdmissionRequest): boolean {
  return group === policyGroup || reviewGroups.has(group)
}

/** The labels of the namespace; where a namespace itself is written, those it shall have. */
function labelsOf(
  { kind, subresource, object, before }: AdmissionRequest,
  namespace: ApiObject | undefined,
): Labels | undefined {
  if (kind.plural !== 'namespaces') return namespace?.metadata.labels
  const shown = subresource === undefined ? (object ?? before) : before
  return shown?.metadata.labels
}

/** An object may be big and the policies many: it is made ready once. */
function valuesByKind(request: AdmissionRequest): Scene['values'] {
  const known = new Map<ServedKind, Values>()
  return (matched) => {
    const values = known.get(matched) ?? valuesOf(request, matched)
    known.set(matched, values)
    return values
  }
}

function valuesOf(request: AdmissionRequest, matched: ServedKind): Values {
  const { kind, objectKind, object, before } = request
  const sameKind = objectKind.kind === kind.kind && objectKind.group === kind.group
  const shown = (each: ApiObject | undefined): unknown =>
    each ? dynamicValue(sameKind ? converted(each, kind, matched) : each) : null
  return {
    object: shown(object),
    oldObject: shown(before),
    request: requestValue(request, matched, sameKind ? matched : objectKind),
  }
}

const notServed = ({ group, version, kind }: GroupVersionKind): string =>
  `failed to find resource referenced by paramKind: '${group === '' ? '/' : `${group}/`}${version}, Kind=${kind}'`

function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => (made ??= { value: make() }).value
}
