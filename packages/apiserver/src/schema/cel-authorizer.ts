import type { Registrar } from './cel-library.ts'

/** Whether somebody may do something: for a path with only a verb, for a resource with the rest. */
export type Check = (question: CheckQuestion) => {
  readonly allowed: boolean
  readonly reason: string
}

export interface CheckQuestion {
  /** Whoever asks, where absent. */
  readonly serviceAccount?: { readonly namespace: string; readonly name: string }
  readonly verb: string
  readonly path?: string
  readonly group?: string
  readonly resource?: string
  readonly subresource?: string
  readonly namespace?: string
  readonly name?: string
}

type Asked = Omit<CheckQuestion, 'verb'>

/** `authorizer` in an expression: `authorizer.group('').resource('pods').check('create').allowed()`. */
export class AuthorizerValue {
  readonly check: Check
  readonly asked: Asked
  /** `authorizer.requestResource`: what the request itself is about. */
  readonly requestResource: ResourceCheck

  constructor(check: Check, request: Asked, asked: Asked = {}) {
    this.check = check
    this.asked = asked
    this.requestResource = new ResourceCheck(check, { ...request, ...asked })
  }
}

class Question {
  readonly check: Check
  readonly asked: Asked

  constructor(check: Check, asked: Asked) {
    this.check = check
    this.asked = asked
  }
}
class PathCheck extends Question {}
class GroupCheck extends Question {}
class ResourceCheck extends Question {}

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

/** The functions that ask for rights; only admission policies have an `authorizer` to call them on. */
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
    ({ check, asked }: AuthorizerValue, path: string) => new PathCheck(check, { ...asked, path }),
  )
  to.registerFunction(
    `${types.authorizer}.group(string): ${types.group}`,
    ({ check, asked }: AuthorizerValue, group: string) =>
      new GroupCheck(check, { ...asked, group }),
  )
  to.registerFunction(
    `${types.authorizer}.serviceAccount(string, string): ${types.authorizer}`,
    ({ check, requestResource }: AuthorizerValue, namespace: string, name: string) =>
      new AuthorizerValue(check, requestResource.asked, { serviceAccount: { namespace, name } }),
  )
  to.registerFunction(
    `${types.group}.resource(string): ${types.resource}`,
    ({ check, asked }: Question, resource: string) =>
      new ResourceCheck(check, { ...asked, resource }),
  )
  for (const part of ['subresource', 'namespace', 'name'] as const) {
    to.registerFunction(
      `${types.resource}.${part}(string): ${types.resource}`,
      ({ check, asked }: Question, value: string) =>
        new ResourceCheck(check, { ...asked, [part]: value }),
    )
  }
  for (const type of [types.path, types.resource]) {
    to.registerFunction(
      `${type}.check(string): ${types.decision}`,
      ({ check, asked }: Question, verb: string) => new Decision(check({ ...asked, verb })),
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
