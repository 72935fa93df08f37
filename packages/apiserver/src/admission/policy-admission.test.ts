import { beforeEach, describe, expect, it } from 'vitest'
import { until } from '@machinist/testing/until'
import { silentLogger } from '@machinist/core/log'
import { seededRandom } from '@machinist/core/random'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { builtInKinds } from '../kinds/catalog/built-in-kinds.ts'
import { KindRegistry } from '../kinds/kind-registry.ts'
import type { ApiObject } from '../kinds/kind-rules.ts'
import type { ServedKind } from '../kinds/served-kind.ts'
import { StatusError } from '../status/status-error.ts'
import { MemoryStore } from '../store/memory-store.ts'
import { CompiledSchemas } from '../verbs/compiled-schemas.ts'
import { create } from '../verbs/create.ts'
import { remove } from '../verbs/delete.ts'
import { fieldOwners, patchers } from '../verbs/patchers.ts'
import { read } from '../verbs/read.ts'
import { update } from '../verbs/update.ts'
import type { VerbContext } from '../verbs/verb-context.ts'
import { ownWrite } from '../verbs/verb-context.ts'
import { PolicyWorker } from '../workers/admission-policies.ts'
import type { AdmissionRequest } from './admission-request.ts'
import { PolicyAdmission } from './policy-admission.ts'
import { policyGroup } from './policies/policy-objects.ts'

let context: VerbContext
let admission: PolicyAdmission
let warnings: string[]

const kindOf = (group: string, plural: string): ServedKind =>
  context.kinds.find(group, 'v1', plural)!
const policies = (): ServedKind => kindOf(policyGroup, 'validatingadmissionpolicies')
const bindings = (): ServedKind => kindOf(policyGroup, 'validatingadmissionpolicybindings')

beforeEach(async () => {
  const clock = new VirtualClock()
  context = {
    store: new MemoryStore({ clock, log: silentLogger }),
    clock,
    random: seededRandom(1),
    kinds: new KindRegistry(builtInKinds),
    schemas: new CompiledSchemas(),
    patcher: patchers,
    fields: fieldOwners,
  }
  warnings = []
  admission = new PolicyAdmission(context, {
    allowed: ({ username }) => ({ allowed: username === 'jane', reason: '' }),
  })
  const metadata = { name: 'x', labels: { team: 'red' } }
  await create(context, { kind: kindOf('', 'namespaces') }, { metadata }, ownWrite)
})

async function make(name: string, spec: object, binding: object = {}): Promise<void> {
  await create(context, { kind: policies() }, { metadata: { name }, spec }, ownWrite)
  const bound = { policyName: name, validationActions: ['Deny'], ...binding }
  await create(context, { kind: bindings() }, { metadata: { name }, spec: bound }, ownWrite)
}

const about = (resources: string[], more: object = {}): object => ({
  resourceRules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources, ...more }],
})

function request(change: Partial<AdmissionRequest> = {}): AdmissionRequest {
  const kind = change.kind ?? kindOf('', 'configmaps')
  const object: ApiObject = {
    apiVersion: 'v1',
    kind: kind.kind,
    metadata: { name: 'a', namespace: 'x' },
  }
  return {
    user: { username: 'jane', groups: ['g'] },
    operation: 'CREATE',
    kind,
    objectKind: kind,
    name: 'a',
    namespace: 'x',
    dryRun: false,
    options: { kind: 'CreateOptions' },
    object,
    warn: (text) => warnings.push(text),
    ...change,
  }
}

/** `fine`, or the code and message of the error. */
function answer(change: Partial<AdmissionRequest> = {}): string {
  try {
    admission.admit(request(change))
    return 'fine'
  } catch (error) {
    if (!(error instanceof StatusError)) throw error
    return `${error.code} ${error.message}`
  }
}

describe('policies', () => {
  it('take effect with the next request, and end with their binding', async () => {
    expect(answer()).toBe('fine')
    await make('p', {
      matchConstraints: about(['configmaps']),
      validations: [{ expression: 'false' }],
    })
    expect(answer()).toBe(
      `422 configmaps "a" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'p' denied request: failed expression: false`,
    )
    await remove(context, { kind: bindings(), name: 'p' }, { dryRun: false })
    expect(answer()).toBe('fine')
  })

  it('take effect after a restart', async () => {
    await make('p', {
      matchConstraints: about(['configmaps']),
      validations: [{ expression: 'false' }],
    })
    admission.stop()
    admission = new PolicyAdmission(context, { allowed: () => ({ allowed: false, reason: '' }) })
    expect(answer()).toMatch(/^422 /)
  })

  it('follow a binding to another policy', async () => {
    const spec = (message: string): object => ({
      matchConstraints: about(['configmaps']),
      validations: [{ expression: 'false', message }],
    })
    await make('p', spec('first'))
    await create(
      context,
      { kind: policies() },
      { metadata: { name: 'q' }, spec: spec('second') },
      ownWrite,
    )
    expect(answer()).toMatch(/first$/)
    await update(
      context,
      { kind: bindings(), name: 'p' },
      (binding) => ({ ...binding, spec: { ...(binding['spec'] as object), policyName: 'q' } }),
      ownWrite,
    )
    expect(answer()).toMatch(/'q' with binding 'p' denied request: second$/)
  })

  it('see the namespace, the user and permissions', async () => {
    await make('p', {
      matchConstraints: about(['configmaps']),
      validations: [
        { expression: "namespaceObject.metadata.labels.team == 'red'" },
        { expression: "request.userInfo.username == 'jane' && request.userInfo.groups == ['g']" },
        {
          expression: "authorizer.requestResource.check('sing').allowed()",
          message: 'may not sing',
        },
      ],
    })
    expect(answer()).toBe('fine')
    expect(answer({ user: { username: 'joe', groups: ['g'] } })).toMatch(/^422 .*'jane' && /)
  })

  it('warn, and deny by the first policy by name', async () => {
    const spec = (message: string): object => ({
      matchConstraints: about(['*']),
      validations: [{ expression: 'false', message, reason: 'Forbidden' }],
    })
    await make('c', spec('third'))
    await make('b', spec('second'))
    await make('a', spec('first'), { validationActions: ['Warn'] })
    expect(answer()).toMatch(/^403 .*second$/)
    expect(warnings).toEqual([
      "Validation failed for ValidatingAdmissionPolicy 'a' with binding 'a': first",
    ])
  })

  it('exempt policies and reviews', async () => {
    await make('p', { matchConstraints: about(['*']), validations: [{ expression: 'false' }] })
    expect(answer({ kind: policies() })).toBe('fine')
    expect(answer({ kind: bindings() })).toBe('fine')
    const reviews = kindOf('authorization.k8s.io', 'selfsubjectaccessreviews')
    expect(answer({ kind: reviews })).toBe('fine')
    expect(answer({ kind: kindOf('', 'secrets') })).toMatch(/^422 /)
  })

  it('convert objects of equivalent groups', async () => {
    await make('p', {
      matchConstraints: about(['events'], { apiGroups: ['events.k8s.io'] }),
      validations: [
        {
          expression: "object.note != 'm'",
          messageExpression: "request.kind.group + ' ' + request.requestKind.group + '.'",
        },
      ],
    })
    const object = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'a', namespace: 'x' },
      involvedObject: { kind: 'Pod', name: 'p' },
      message: 'm',
    }
    expect(answer({ kind: kindOf('', 'events'), object })).toMatch(/: events\.k8s\.io \.$/)
  })

  it('that are invalid in the store do not stop the server', async () => {
    const key = '/registry/admissionregistration.k8s.io/validatingadmissionpolicies/odd'
    await context.store.write(key, JSON.stringify({ metadata: { name: 'odd' } }), 0)
    const binding = '/registry/admissionregistration.k8s.io/validatingadmissionpolicybindings/odd'
    await context.store.write(binding, JSON.stringify({ metadata: { name: 'odd' } }), 0)
    expect(answer()).toBe('fine')
  })
})

describe('parameters', () => {
  const spec = (expression: string, more: object = {}): object => ({
    paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
    matchConstraints: about(['secrets', 'nodes']),
    validations: [{ expression }],
    ...more,
  })
  const secret = (): Partial<AdmissionRequest> => ({ kind: kindOf('', 'secrets') })

  it('must match the paramKind', async () => {
    const paramRef = { name: 'p', parameterNotFoundAction: 'Deny' }
    await make('p', spec('params.data.a == "b"'), { paramRef })
    expect(answer(secret())).toMatch(
      /failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction$/,
    )
    expect(answer({ kind: kindOf('', 'nodes'), namespace: '' })).toMatch(
      /cannot use namespaced paramRef in policy binding that matches cluster-scoped resources$/,
    )
    const target = { kind: kindOf('', 'configmaps'), namespace: 'x' }
    const param = { metadata: { name: 'p' }, data: { a: 'b' } }
    await create(context, target, param, ownWrite)
    expect(answer(secret())).toBe('fine')
  })

  it('can be invalid with failurePolicy Ignore', async () => {
    const paramRef = { name: 'p', parameterNotFoundAction: 'Deny' }
    await make('p', spec('false', { failurePolicy: 'Ignore' }), { paramRef })
    expect(answer(secret())).toBe('fine')
    const unknown = { apiVersion: 'v1', kind: 'Gadget' }
    await make('q', spec('false', { paramKind: unknown, failurePolicy: 'Ignore' }), { paramRef })
    expect(answer(secret())).toBe('fine')
    await make('r', spec('false', { paramKind: unknown }), { paramRef })
    expect(answer(secret())).toMatch(
      /ValidatingAdmissionPolicy 'r' denied request: failed to configure policy: failed to find resource referenced by paramKind: '\/v1, Kind=Gadget'$/,
    )
  })
})

describe('the status of a policy', () => {
  it('has the observed generation', async () => {
    const worker = new PolicyWorker(context, silentLogger)
    await make('p', { matchConstraints: about(['pods']), validations: [{ expression: 'true' }] })
    const target = { kind: policies(), name: 'p' }
    const seen = (): unknown => read(context, target)['status']
    await until('it was seen', () => JSON.stringify(seen()).includes('observedGeneration'))
    expect(seen()).toEqual({ observedGeneration: 1, typeChecking: {} })
    await update(
      context,
      target,
      (policy) => ({ ...policy, spec: { ...(policy['spec'] as object), failurePolicy: 'Ignore' } }),
      ownWrite,
    )
    await until('it was seen again', () => JSON.stringify(seen()).includes(':2'))
    await worker.stop()
  })
})
