import { expect, it } from 'vitest'
import type { Answer, Api } from '../support/api.ts'
import { conformance } from '../support/conformance.ts'
import { failure } from '../support/objects.ts'
import { bindings, policies, rules } from '../support/policies.ts'

const group = 'admissionregistration.k8s.io'
const about = { matchConstraints: rules(['configmaps']) }
const fine = { expression: 'true' }

const policy = (api: Api, name: string, spec: object): Promise<Answer> =>
  api.post(`${policies}?dryRun=All`, { metadata: { name }, spec })

const binding = (api: Api, name: string, spec: object): Promise<Answer> =>
  api.post(`${bindings}?dryRun=All`, { metadata: { name }, spec })

/** Each cause as `field: message`. */
function reported({ body }: Answer): string[] {
  const { causes = [] } = body['details'] as { causes?: { field: string; message: string }[] }
  return causes.map(({ field, message }) => `${field}: ${message}`)
}

conformance('admission policy objects', (on) => {
  it(
    'a policy is defaulted',
    on(async ({ api, unique }) => {
      const { code, body } = await policy(api, unique, { ...about, validations: [fine] })
      expect(code).toBe(201)
      expect(body.metadata.generation).toBe(1)
      expect(body.spec).toEqual({
        failurePolicy: 'Fail',
        matchConstraints: {
          matchPolicy: 'Equivalent',
          namespaceSelector: {},
          objectSelector: {},
          resourceRules: [
            {
              apiGroups: ['*'],
              apiVersions: ['*'],
              operations: ['*'],
              resources: ['configmaps'],
              scope: '*',
            },
          ],
        },
        validations: [{ expression: 'true' }],
      })
      expect(body.status).toEqual({})
    }),
  )

  it(
    'a binding is defaulted',
    on(async ({ api, unique }) => {
      const { code, body } = await binding(api, unique, {
        policyName: 'any',
        validationActions: ['Deny'],
        matchResources: rules(['pods/*'], { scope: 'Namespaced' }),
        paramRef: { selector: {}, parameterNotFoundAction: 'Allow' },
      })
      expect(code).toBe(201)
      expect(body.metadata.generation).toBe(1)
      expect(body.spec).toEqual({
        policyName: 'any',
        validationActions: ['Deny'],
        matchResources: {
          matchPolicy: 'Equivalent',
          namespaceSelector: {},
          objectSelector: {},
          resourceRules: [
            {
              apiGroups: ['*'],
              apiVersions: ['*'],
              operations: ['*'],
              resources: ['pods/*'],
              scope: 'Namespaced',
            },
          ],
        },
        paramRef: { selector: {}, parameterNotFoundAction: 'Allow' },
      })
      const plain = await binding(api, unique, { policyName: 'any', validationActions: ['Warn'] })
      expect(plain.body.spec).toEqual({ policyName: 'any', validationActions: ['Warn'] })
    }),
  )

  it(
    '422: an empty policy',
    on(async ({ api, unique }) => {
      const missing =
        'Required value: validations or auditAnnotations must contain at least one item'
      const { code, body } = await policy(api, unique, {})
      expect(code).toBe(422)
      expect(body).toEqual(
        failure(
          422,
          'Invalid',
          `ValidatingAdmissionPolicy.${group} "${unique}" is invalid: [spec.matchConstraints: Required value, spec.validations: ${missing}, spec.auditAnnotations: ${missing}]`,
          {
            name: unique,
            group,
            kind: 'ValidatingAdmissionPolicy',
            causes: [
              {
                reason: 'FieldValueRequired',
                message: 'Required value',
                field: 'spec.matchConstraints',
              },
              { reason: 'FieldValueRequired', message: missing, field: 'spec.validations' },
              { reason: 'FieldValueRequired', message: missing, field: 'spec.auditAnnotations' },
            ],
          },
        ),
      )
      const ruleless = await policy(api, unique, { matchConstraints: {}, validations: [fine] })
      expect(reported(ruleless)).toEqual(['spec.matchConstraints.resourceRules: Required value'])
    }),
  )

  it(
    '422: expressions that do not compile',
    on(async ({ api, unique }) => {
      const cases: [expression: string, at: string, why: string][] = [
        ['nope == 1', '1:1', "undeclared reference to 'nope' (in container '')"],
        ['object.a.b == c', '1:15', "undeclared reference to 'c' (in container '')"],
        ['params.x == 1', '1:1', "undeclared reference to 'params' (in container '')"],
        ['variables.x', '1:1', "undeclared reference to 'variables' (in container '')"],
        ['object.foo()', '1:11', "undeclared reference to 'foo' (in container '')"],
        ['foo(object)', '1:4', "undeclared reference to 'foo' (in container '')"],
        ["request.nope == ''", '1:8', "undefined field 'nope'"],
        ["namespaceObject.metadata.nope == ''", '1:25', "undefined field 'nope'"],
        ["'a' == 1", '1:5', "found no matching overload for '_==_' applied to '(string, int)'"],
        [
          "request.name + 1 == ''",
          '1:14',
          "found no matching overload for '_+_' applied to '(string, int)'",
        ],
        [
          "request.userInfo.extra['a'][0] == 1",
          '1:32',
          "found no matching overload for '_==_' applied to '(string, int)'",
        ],
        ['size(1) == 2', '1:5', "found no matching overload for 'size' applied to '(int)'"],
        ["[1, 'a'] == object.x", '1:5', "expected type 'int' but found 'string'"],
        ['object.', '1:8', "Syntax error: no viable alternative at input '.'"],
        [
          'true && ',
          '1:9',
          "Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
        ],
      ]
      const validations = cases.map(([expression]) => ({ expression }))
      expect(reported(await policy(api, unique, { ...about, validations }))).toEqual(
        cases.map(([expression, at, why], i) => {
          const dots = '.'.repeat(Number(at.slice(2)) - 1)
          const shown = JSON.stringify(expression)
          return `spec.validations[${i}].expression: Invalid value: ${shown}: compilation failed: ERROR: <input>:${at}: ${why}\n | ${expression}\n | ${dots}^`
        }),
      )
      const lines = await policy(api, unique, {
        ...about,
        validations: [{ expression: 'true\n&& nope' }],
      })
      expect(reported(lines)).toEqual([
        "spec.validations[0].expression: Invalid value: \"true\\n&& nope\": compilation failed: ERROR: <input>:2:4: undeclared reference to 'nope' (in container '')\n | && nope\n | ...^",
      ])
    }),
  )

  it(
    '422: expressions of the wrong type',
    on(async ({ api, unique }) => {
      const answer = await policy(api, unique, {
        ...about,
        matchConditions: [{ name: 'x', expression: '1' }],
        validations: [
          { expression: 'object.spec' },
          { expression: "authorizer.requestResource.check('get')" },
          { expression: 'true', messageExpression: '1' },
          { expression: 'true', messageExpression: 'object.x' },
          { expression: 'true', messageExpression: 'request.name' },
          { expression: ' ' },
        ],
        auditAnnotations: [{ key: 'x', valueExpression: '1' }],
      })
      expect(reported(answer)).toEqual([
        'spec.matchConditions[0].expression: Invalid value: "1": must evaluate to bool but got int',
        'spec.validations[0].expression: Invalid value: "object.spec": must evaluate to bool but got dyn',
        'spec.validations[1].expression: Invalid value: "authorizer.requestResource.check(\'get\')": must evaluate to bool but got kubernetes.authorization.Decision',
        'spec.validations[2].messageExpression: Invalid value: "1": must evaluate to string but got int',
        'spec.validations[3].messageExpression: Invalid value: "object.x": must evaluate to string but got dyn',
        'spec.validations[5].expression: Required value: expression is not specified',
        'spec.auditAnnotations[0].valueExpression: Invalid value: "1": must evaluate to one of [string null_type] but got int',
      ])
    }),
  )

  it(
    '422: messages and reasons',
    on(async ({ api, unique }) => {
      const answer = await policy(api, unique, {
        ...about,
        validations: [
          { ...fine, message: ' ', reason: 'Unauthorized', messageExpression: ' ' },
          { ...fine, message: 'a\nb', reason: '' },
        ],
      })
      const reasons = '"Forbidden", "Invalid", "RequestEntityTooLarge"'
      expect(reported(answer)).toEqual([
        'spec.validations[0].messageExpression: Invalid value: " ": must be non-empty if specified',
        'spec.validations[0].message: Invalid value: " ": message must be non-empty if specified',
        `spec.validations[0].reason: Unsupported value: "Unauthorized": supported values: ${reasons}`,
        'spec.validations[1].message: Invalid value: "a\\nb": message must not contain line breaks',
        `spec.validations[1].reason: Unsupported value: "": supported values: ${reasons}`,
      ])
    }),
  )

  it(
    '422: variables',
    on(async ({ api, unique }) => {
      const answer = await policy(api, unique, {
        ...about,
        variables: [
          { name: '', expression: '' },
          { name: 'a-b', expression: 'nope' },
          { name: 'x', expression: 'variables.y' },
          { name: 'y', expression: "'text'" },
        ],
        validations: [
          { expression: 'variables.y == 1' },
          { expression: 'variables.z == 1' },
          { ...fine, messageExpression: 'variables.y' },
        ],
      })
      const failed = 'compilation failed: ERROR: <input>'
      expect(reported(answer)).toEqual([
        'spec.variables[0].name: Required value: name is not specified',
        'spec.variables[0].expression: Required value: expression is not specified',
        'spec.variables[1].name: Invalid value: "a-b": name is not a valid CEL identifier',
        `spec.variables[1].expression: Invalid value: "nope": ${failed}:1:1: undeclared reference to 'nope' (in container '')\n | nope\n | ^`,
        `spec.variables[2].expression: Invalid value: "variables.y": ${failed}:1:10: undefined field 'y'\n | variables.y\n | .........^`,
        `spec.validations[0].expression: Invalid value: "variables.y == 1": ${failed}:1:13: found no matching overload for '_==_' applied to '(string, int)'\n | variables.y == 1\n | ............^`,
        `spec.validations[1].expression: Invalid value: "variables.z == 1": ${failed}:1:10: undefined field 'z'\n | variables.z == 1\n | .........^`,
      ])
    }),
  )

  it(
    '422: rules',
    on(async ({ api, unique }) => {
      const answer = await policy(api, unique, {
        failurePolicy: 'Nope',
        paramKind: {},
        matchConstraints: {
          matchPolicy: 'Loose',
          resourceRules: [
            {
              apiGroups: ['*', 'a'],
              apiVersions: ['', '*'],
              resources: ['*/*', 'pods'],
              operations: ['*', 'Nope'],
              scope: 'Nope',
              resourceNames: ['a/b', 'c', 'c'],
            },
            {},
          ],
        },
        validations: [fine],
      })
      const rule = 'spec.matchConstraints.resourceRules[0]'
      expect(reported(answer)).toEqual([
        'spec.failurePolicy: Unsupported value: "Nope": supported values: "Fail", "Ignore"',
        'spec.paramKind.apiVersion: Required value',
        'spec.paramKind.kind: Required value',
        'spec.matchConstraints.matchPolicy: Unsupported value: "Loose": supported values: "Equivalent", "Exact"',
        `${rule}.resourceNames[0]: Invalid value: "a/b": may not contain '/'`,
        `${rule}.resourceNames[2]: Duplicate value: "c"`,
        `${rule}.operations: Invalid value: []admissionregistration.OperationType{"*", "Nope"}: if '*' is present, must not specify other operations`,
        `${rule}.operations[1]: Unsupported value: "Nope": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE"`,
        `${rule}.apiGroups: Invalid value: []string{"*", "a"}: if '*' is present, must not specify other API groups`,
        `${rule}.apiVersions: Invalid value: []string{"", "*"}: if '*' is present, must not specify other API versions`,
        `${rule}.apiVersions[0]: Required value`,
        `${rule}.resources: Invalid value: []string{"*/*", "pods"}: if '*/*' is present, must not specify other resources`,
        `${rule}.scope: Unsupported value: "Nope": supported values: "*", "Cluster", "Namespaced"`,
        'spec.matchConstraints.resourceRules[1].operations: Required value',
        'spec.matchConstraints.resourceRules[1].apiGroups: Required value',
        'spec.matchConstraints.resourceRules[1].apiVersions: Required value',
        'spec.matchConstraints.resourceRules[1].resources: Required value',
      ])
    }),
  )

  it(
    '422: overlapping resources',
    on(async ({ api, unique }) => {
      const at = async (resources: string[]): Promise<string[]> =>
        reported(
          await policy(api, unique, { matchConstraints: rules(resources), validations: [fine] }),
        )
      const field = 'spec.matchConstraints.resourceRules[0].resources'
      expect(await at(['pods/*', 'pods/status', 'pods'])).toEqual([
        `${field}[1]: Invalid value: "pods/status": if 'pods/*' is present, must not specify pods/status`,
      ])
      expect(await at(['*/status', 'pods/status'])).toEqual([
        `${field}[1]: Invalid value: "pods/status": if '*/status' is present, must not specify pods/status`,
      ])
      expect(await at(['*', 'pods'])).toEqual([
        `${field}: Invalid value: []string{"*", "pods"}: if '*' is present, must not specify other resources without subresources`,
      ])
      expect(await at([''])).toEqual([`${field}[0]: Required value`])
    }),
  )

  it(
    '422: selectors, parameters and conditions',
    on(async ({ api, unique }) => {
      const answer = await policy(api, unique, {
        paramKind: { apiVersion: 'a/b/c', kind: 'X_' },
        matchConstraints: {
          ...rules(['pods']),
          namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'Nope' }] },
          objectSelector: { matchExpressions: [{ key: 'b', operator: 'In' }] },
        },
        matchConditions: [
          { name: '', expression: '' },
          { name: 'x', expression: 'true' },
          { name: 'x', expression: 'true' },
        ],
        validations: [fine],
      })
      expect(reported(answer)).toEqual([
        'spec.paramKind.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
        "spec.paramKind.kind: Invalid value: \"X_\": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
        'spec.matchConstraints.namespaceSelector.matchExpressions[0].operator: Invalid value: "Nope": not a valid selector operator',
        "spec.matchConstraints.objectSelector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
        'spec.matchConditions[0].expression: Required value',
        'spec.matchConditions[0].name: Required value',
        'spec.matchConditions[2].name: Duplicate value: "x"',
      ])
    }),
  )

  it(
    '422: bindings',
    on(async ({ api, unique }) => {
      expect(reported(await binding(api, unique, {}))).toEqual([
        'spec.policyName: Required value',
        'spec.validationActions: Required value: at least one validation action is required',
      ])
      const actions = ['Deny', 'Warn', 'Warn', 'Nope']
      expect(
        reported(
          await binding(api, unique, { policyName: 'a', validationActions: actions, paramRef: {} }),
        ),
      ).toEqual([
        'spec.paramRef: Required value: one of name or selector must be specified',
        'spec.paramRef.parameterNotFoundAction: Required value',
        'spec.validationActions[2]: Duplicate value: "Warn"',
        'spec.validationActions[3]: Unsupported value: "Nope": supported values: "Audit", "Deny", "Warn"',
        'spec.validationActions: Invalid value: []admissionregistration.ValidationAction{"Deny", "Warn", "Warn", "Nope"}: must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)',
      ])
      const paramRef = { name: 'x', selector: {}, parameterNotFoundAction: 'Nope' }
      expect(
        reported(
          await binding(api, unique, { policyName: 'a', validationActions: ['Deny'], paramRef }),
        ),
      ).toEqual([
        'spec.paramRef.name: Forbidden: name and selector are mutually exclusive',
        'spec.paramRef.selector: Forbidden: name and selector are mutually exclusive',
        'spec.paramRef.parameterNotFoundAction: Unsupported value: "Nope": supported values: "Deny", "Allow"',
      ])
    }),
  )
})
