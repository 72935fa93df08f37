import type { Registrar } from './library.ts'

/** An authorization check of a path or a resource. */
export type Check = (question: AuthorizationQuery) => {
  readonly allowed: boolean
  readonly reason: string
}

export interface AuthorizationQuery {
  /** The requesting user if absent. */
  readonly serviceAccount?: { readonly namespace: string; readonly name: string }
  readonly verb: string
  readonly path?: string
  readonly group?: string
  readonly resource?: string
  readonly subresource?: string
  readonly namespace?: string
  readonly name?: string
}

type PartialQuery = Omit<AuthorizationQuery, 'verb'>

/** `authorizer` in an expression: `authorizer.group('').resource('pods').check('create').allowed()`. */
export class AuthorizerValue {
  readonly check: Check
  readonly query: PartialQuery
  /** `authorizer.requestResource`: the resource of the request itself. */
  readonly requestResource: ResourceCheck

  constructor(check: Check, request: PartialQuery, query: PartialQuery = {}) {
    this.check = check
    this.query = query
    this.requestResource = new ResourceCheck(check, { ...request, ...query })
  }
}

class QueryValue {
  readonly check: Check
  readonly query: PartialQuery

  constructor(check: Check, query: PartialQuery) {
    this.check = check
    this.query = query
  }
}
class PathCheck extends QueryValue {}
class GroupCheck extends QueryValue {}
class ResourceCheck extends QueryValue {}

class Decision {
  readonly allowed: boolean
  readonly reason: string

  constructor({ allowed, reason }: { readonly allowed: boolean; readonly reason: string }) {
    this.allowed = allowed
    this.reason = reason
  }
}

const prefix = 'kubernetes.authorization.'
const types = {
  authorizer: `${prefix}Authorizer`,
  path: `${prefix}PathCheck`,
  group: `${prefix}GroupCheck`,
  resource: `${prefix}ResourceCheck`,
  decision: `${prefix}Decision`,
}

export const authorizerType = types.authorizer

/** Registers the authorization functions; only admission policies have an `authorizer` variable. */
export function registerAuthorizer(to: Registrar): void {
  to.registerType(types.path, PathCheck)
  to.registerType(types.group, GroupCheck)
  to.registerType(types.resource, ResourceCheck)
  to.registerType(types.decision, Decision)
  to.registerType(types.authorizer, {
    ctor: AuthorizerValue,
    fields: { requestResource: types.resource },
  })
  to.registerFunction(
    `${types.authorizer}.path(string): ${types.path}`,
    ({ check, query }: AuthorizerValue, path: string) => new PathCheck(check, { ...query, path }),
  )
  to.registerFunction(
    `${types.authorizer}.group(string): ${types.group}`,
    ({ check, query }: AuthorizerValue, group: string) =>
      new GroupCheck(check, { ...query, group }),
  )
  to.registerFunction(
    `${types.authorizer}.serviceAccount(string, string): ${types.authorizer}`,
    ({ check, requestResource }: AuthorizerValue, namespace: string, name: string) =>
      new AuthorizerValue(check, requestResource.query, { serviceAccount: { namespace, name } }),
  )
  to.registerFunction(
    `${types.group}.resource(string): ${types.resource}`,
    ({ check, query }: QueryValue, resource: string) =>
      new ResourceCheck(check, { ...query, resource }),
  )
  for (const part of ['subresource', 'namespace', 'name'] as const) {
    to.registerFunction(
      `${types.resource}.${part}(string): ${types.resource}`,
      ({ check, query }: QueryValue, value: string) =>
        new ResourceCheck(check, { ...query, [part]: value }),
    )
  }
  for (const type of [types.path, types.resource]) {
    to.registerFunction(
      `${type}.check(string): ${types.decision}`,
      ({ check, query }: QueryValue, verb: string) => new Decision(check({ ...query, verb })),
    )
  }
  registerDecision(to)
}

function registerDecision(to: Registrar): void {
  to.registerFunction(`${types.decision}.allowed(): bool`, ({ allowed }: Decision) => allowed)
  to.registerFunction(`${types.decision}.reason(): string`, ({ reason }: Decision) => reason)
  to.registerFunction(`${types.decision}.errored(): bool`, () => false)
  to.registerFunction(`${types.decision}.error(): string`, () => '')
}
