import type { Condition, ObjectReference } from '@machinist/core/objects/resource'
import type { LabelSelectorSpec } from '@machinist/core/objects/selectors'
import type { ArrayLimits, Rule, Schema } from './schema.ts'
import {
  array,
  integer,
  knownAs,
  map,
  nullable,
  object,
  oneOf,
  rule,
  string,
  timestamp,
} from './schema.ts'

/** Schemas that several kinds share. */

export function labelSelector(description: string): Schema<LabelSelectorSpec> {
  const requirement = object(
    'A requirement on a label.',
    {
      key: string('Label key that the requirement applies to.'),
      operator: string(
        'Relation between the key and the values: In, NotIn, Exists or DoesNotExist.',
      ),
      values: array(
        'Values for the operators In and NotIn. Empty for Exists and DoesNotExist.',
        string('A label value.'),
      ),
    },
    { required: ['key', 'operator'] },
  )
  return object(
    description,
    {
      matchLabels: map(
        'Labels that the object must have, with these values.',
        string('A label value.'),
      ),
      matchExpressions: array('Requirements that must all be met.', requirement),
    },
    { atomic: true },
  )
}

const referenceFields = {
  apiVersion: string('API version of the object.'),
  kind: string('Kind of the object.'),
  namespace: string('Namespace of the object.'),
  name: string('Name of the object.'),
  uid: string('UID of the object.'),
  resourceVersion: string('The resourceVersion of the object that was observed.'),
  fieldPath: string('Path of a field in the object.'),
}

export function objectReference(description: string): Schema<ObjectReference> {
  return object(description, referenceFields, { atomic: true })
}

/** A reference to a rendered MachineConfig, with the MachineConfigs that it was merged from. */
export function configurationReference(
  description: string,
): Schema<ObjectReference & { source?: ObjectReference[] }> {
  const source = array(
    'The MachineConfigs that were merged, in merge order.',
    objectReference('A MachineConfig.'),
  )
  return object(description, { ...referenceFields, source }, { atomic: true })
}

/** `metav1.Condition` with full validation, unique by type: for the newer kinds. */
export function conditions(
  limits: Pick<ArrayLimits, 'minItems' | 'maxItems' | 'rules'> = {},
): Schema<Condition[]> {
  const condition = object(
    'A condition.',
    {
      type: string('Type of the condition.', {
        maxLength: 316,
        pattern:
          '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$',
      }),
      status: oneOf('Status of the condition.', ['True', 'False', 'Unknown']),
      reason: string('Machine-readable reason for the last transition, in CamelCase.', {
        minLength: 1,
        maxLength: 1024,
        pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$',
      }),
      message: string('Human-readable explanation.', { maxLength: 32768 }),
      lastTransitionTime: timestamp('Last time at which the status changed.'),
      observedGeneration: integer('The generation of the object that the condition describes.', {
        format: 'int64',
        minimum: 0,
      }),
    },
    { required: ['type', 'status', 'reason', 'message', 'lastTransitionTime'] },
  )
  return array('Conditions of the object.', knownAs<Condition>(condition), {
    keys: ['type'],
    ...limits,
  })
}

/** Conditions with little validation: for the older kinds. With `keyed`, they are unique by type. */
export function looseConditions({ keyed = false } = {}): Schema<Condition[]> {
  const fields = {
    type: string('Type of the condition.'),
    status: string('Status of the condition: True, False or Unknown.'),
    reason: string('Machine-readable reason for the last transition, in CamelCase.'),
    message: string('Human-readable explanation.'),
    lastTransitionTime: nullable(timestamp('Last time at which the status changed.')),
  }
  const condition = keyed
    ? object('A condition.', fields, {
        required: ['type', 'status', 'lastTransitionTime'],
      })
    : object('A condition.', fields)
  const limits = keyed ? { keys: ['type'] } : {}
  return array('Conditions of the object.', knownAs<Condition>(condition), limits)
}

/** The name of another object: a lower-case DNS subdomain. */
export function objectName(description: string, minLength?: number): Schema<string> {
  return string(description, {
    ...(minLength !== undefined && { minLength }),
    maxLength: 253,
    rules: [
      rule(
        '!format.dns1123Subdomain().validate(self).hasValue()',
        "must be a lower case DNS subdomain: letters, digits, '-' and '.', with a letter or digit at both ends",
      ),
    ],
  })
}

export function namespaceName(description: string): Schema<string> {
  return string(description, {
    minLength: 1,
    maxLength: 63,
    rules: [
      rule(
        '!format.dns1123Label().validate(self).hasValue()',
        "must be a DNS label: lower case letters, digits and '-'",
      ),
    ],
  })
}

/** `{ name: … }`: a reference to an object of a known kind. */
export function namedReference(
  description: string,
  name: Schema<string> = objectName('Name of the object.'),
): Schema<{ name: string }> {
  return object(description, { name }, { required: ['name'] })
}

/** A reference to any object of the cluster, by its resource. */
export const relatedObject = object(
  'A reference to a related object.',
  {
    group: objectName('API group of the object.'),
    resource: string('Resource name (plural) of the object.', {
      minLength: 1,
      maxLength: 63,
      rules: [
        rule(
          '!format.dns1035Label().validate(self).hasValue()',
          "must be a DNS label: lower case letters, digits and '-', a letter first",
        ),
      ],
    }),
    namespace: namespaceName('Namespace of the object. Absent if it is cluster-scoped.'),
    name: objectName('Name of the object.', 1),
  },
  { required: ['group', 'resource', 'name'] },
)

const digestRule = rule(
  "(self.split('@').size() == 2 && self.split('@')[1].matches('^sha256:[a-f0-9]{64}$'))",
  "must end in a digest: '@sha256:' and 64 hexadecimal digits in lower case",
)

/** A container image, pinned by its digest. */
export function imageDigest(description: string, { localhost = false } = {}): Schema<string> {
  const host = '([a-zA-Z0-9-]+\\\\.)+[a-zA-Z0-9-]+'
  const hosts = localhost ? `(localhost|${host})` : host
  return string(description, {
    minLength: 1,
    maxLength: 447,
    rules: [
      digestRule,
      rule(
        `(self.split('@')[0].matches('^${hosts}(:[0-9]{2,5})?/([a-zA-Z0-9-_]{0,61}/)?[a-zA-Z0-9-_.]*?$'))`,
        'must be host[:port][/namespace]/name, with a dot in the host and without a scheme',
      ),
    ],
  })
}

/** The tag to which a built image is pushed, in a registry or in a registry Service of the cluster. */
export function imagePushSpec(description: string): Schema<string> {
  const registry =
    '^([a-zA-Z0-9-]+\\\\.)+[a-zA-Z0-9-]+(:[0-9]{2,5})?(/[a-zA-Z0-9-_]{1,61})*/[a-zA-Z0-9-_.]+:[a-zA-Z0-9._-]+$'
  const service = '^[^.]+\\\\.[^.]+\\\\.svc:\\\\d+\\\\/[^\\\\/]+\\\\/[^\\\\/]+:[^\\\\/]+$'
  return string(description, {
    minLength: 1,
    maxLength: 447,
    rules: [
      rule(
        `self.matches('${registry}') || self.matches('${service}')`,
        'must be host[:port][/namespace]/name:tag, or name.namespace.svc:port/repository/image:tag',
      ),
    ],
  })
}

/** A generation that never decreases. */
export function growingGeneration(
  description: string,
  limits: { readonly format: 'int32' | 'int64'; readonly minimum: number },
): Schema<number> {
  return integer(description, {
    ...limits,
    rules: [rule('self >= oldSelf', 'must not decrease')],
  })
}

/** Union rule: `field` is set exactly if `choice` has `value`. */
export function onlyWith(field: string, choice: string, value: string): Rule {
  return rule(
    `(self.${choice} == '${value}') == has(self.${field})`,
    `${field} must be set when ${choice} is ${value}, and only then`,
  )
}
