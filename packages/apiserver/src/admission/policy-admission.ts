import type { Labels } from '@machinist/core/objects/selectors'
import type { ApiObject } from '../kinds/kind-rules.ts'
import type { ServedKind } from '../kinds/served-kind.ts'
import type { StatusError } from '../status/status-error.ts'
import { dynamicValue } from '../cel/values.ts'
import { objectKey } from '../objects/object-key.ts'
import { toServedObject } from '../objects/stored-object.ts'
import type { VerbContext } from '../verbs/verb-context.ts'
import type { AdmissionRequest, GroupVersionKind } from './admission-request.ts'
import type { PolicyDecision } from './decisions.ts'
import { decidePolicy } from './decisions.ts'
import { denialError } from './denial.ts'
import { converted, EquivalentKinds } from './equivalent-kinds.ts'
import { Evaluation } from './evaluation.ts'
import { MisconfiguredPolicy, paramGroupKind, paramsOf } from './params.ts'
import { policyGroup } from './policies/policy-objects.ts'
import type { ActiveBinding, ActivePolicy } from './policy-set.ts'
import { PolicySet } from './policy-set.ts'
import { authorizerValue, namespaceValue, requestValue } from './request-values.ts'
import type { PermissionChecker } from './request-values.ts'
import type { MatchContext } from './resource-matching.ts'

/** Checks every client write against the ValidatingAdmissionPolicies that are bound. */
export class PolicyAdmission {
  readonly #context: VerbContext
  readonly #permissions: PermissionChecker
  readonly #policies: PolicySet
  readonly #equivalents: EquivalentKinds

  constructor(context: VerbContext, permissions: PermissionChecker) {
    this.#context = context
    this.#permissions = permissions
    this.#policies = new PolicySet(context)
    this.#equivalents = new EquivalentKinds(context.kinds)
  }

  stop(): void {
    this.#policies.stop()
  }

  /** Throws the first denial; sends warnings to the client. */
  admit(request: AdmissionRequest): void {
    if (this.#policies.isEmpty || isExempt(request)) return
    const equivalents = this.#equivalents.of(request.kind)
    const policies = this.#policies.about([request.kind, ...equivalents])
    if (policies.length === 0) return
    const namespace = lazily(() => this.#namespaceOf(request))
    const surroundings = { equivalents, namespaceLabels: () => labelsOf(request, namespace()) }
    const requestContext = { request, surroundings, namespace, values: valuesByKind(request) }
    const denials = policies.flatMap((policy) => this.#denials(policy, requestContext))
    if (denials[0]) throw denials[0]
  }

  #denials(policy: ActivePolicy, requestContext: RequestContext): StatusError[] {
    const { request, surroundings } = requestContext
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
        return this.#bound(policy, binding, { ...requestContext, matched }, servedParams)
      } catch (error) {
        if (!(error instanceof MisconfiguredPolicy)) throw error
        return this.#misconfigured(request, policy, binding, error.message)
      }
    })
  }

  #bound(
    policy: ActivePolicy,
    binding: ActiveBinding,
    requestContext: MatchedContext,
    paramKind: ServedKind | undefined,
  ): StatusError[] {
    const { request } = requestContext
    const params = paramKind
      ? paramsOf(this.#context, paramKind, binding.spec.paramRef, request.namespace)
      : [null]
    return params.flatMap((param) => {
      const decisions = this.#decisions(policy, requestContext, param)
      return this.#acted(policy, binding, request, decisions)
    })
  }

  #decisions(
    policy: ActivePolicy,
    requestContext: MatchedContext,
    param: ApiObject | null,
  ): PolicyDecision {
    const { request, namespace } = requestContext
    const values = { ...requestContext.values(requestContext.matched), params: dynamicValue(param) }
    const evaluation = (namespaceObject: unknown): Evaluation =>
      new Evaluation((chargeCheck) => {
        const authorizer = authorizerValue(request, this.#permissions, chargeCheck)
        return { ...values, namespaceObject, authorizer }
      }, policy.compiled().variables)
    return decidePolicy(
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
    { failures, denials }: PolicyDecision,
  ): StatusError[] {
    const { validationActions = [] } = spec
    if (validationActions.includes('Warn')) {
      for (const { message } of failures) {
        request.warn(
          `Validation failed for ValidatingAdmissionPolicy '${policy.name}' with binding '${name}': ${message}`,
        )
      }
    }
    const denied = validationActions.includes('Deny') ? [...failures, ...denials] : denials
    return denied.map((objection) => denialError(request, policy.name, name, objection))
  }

  #misconfigured(
    request: AdmissionRequest,
    { name, spec }: ActivePolicy,
    binding: ActiveBinding | undefined,
    why: string,
  ): StatusError[] {
    if (spec.failurePolicy === 'Ignore') return []
    const message = `failed to configure ${binding ? 'binding' : 'policy'}: ${why}`
    return [denialError(request, name, binding?.name, { message, reason: 'Invalid' })]
  }

  #served({ group, version, kind }: GroupVersionKind): ServedKind | undefined {
    return this.#context.kinds.findKind(group, version, kind)
  }

  /** The Namespace of the object; undefined for Namespace objects. */
  #namespaceOf({ namespace, kind }: AdmissionRequest): ApiObject | undefined {
    const { kinds, store } = this.#context
    const namespaces = kinds.find('', 'v1', 'namespaces')
    if (namespace === '' || !namespaces || kind === namespaces) return undefined
    const stored = store.get(objectKey(namespaces, undefined, namespace))
    return stored && toServedObject(namespaces, stored)
  }
}

interface RequestContext {
  readonly request: AdmissionRequest
  readonly surroundings: MatchContext
  readonly namespace: () => ApiObject | undefined
  /** Values of the request for expressions, converted to the matched kind. */
  readonly values: (matched: ServedKind) => Values
}

type Values = Readonly<Record<string, unknown>>

interface MatchedContext extends RequestContext {
  readonly matched: ServedKind
}

const reviewGroups = new Set(['authentication.k8s.io', 'authorization.k8s.io'])

/** Policies and bindings are exempt, so that a policy cannot lock out its administrators; reviews are not writes. */
function isExempt({ kind: { group } }: AdmissionRequest): boolean {
  return group === policyGroup || reviewGroups.has(group)
}

/** Labels of the Namespace; for a write to a Namespace, its new labels. */
function labelsOf(
  { kind, subresource, object, before }: AdmissionRequest,
  namespace: ApiObject | undefined,
): Labels | undefined {
  if (kind.plural !== 'namespaces') return namespace?.metadata.labels
  const current = subresource === undefined ? (object ?? before) : before
  return current?.metadata.labels
}

/** Converts the objects once per kind: they can be large, and many policies can match. */
function valuesByKind(request: AdmissionRequest): RequestContext['values'] {
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
  const current = (each: ApiObject | undefined): unknown =>
    each ? dynamicValue(sameKind ? converted(each, kind, matched) : each) : null
  return {
    object: current(object),
    oldObject: current(before),
    request: requestValue(request, matched, sameKind ? matched : objectKind),
  }
}

const notServed = ({ group, version, kind }: GroupVersionKind): string =>
  `failed to find resource referenced by paramKind: '${group === '' ? '/' : `${group}/`}${version}, Kind=${kind}'`

function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => (made ??= { value: make() }).value
}
