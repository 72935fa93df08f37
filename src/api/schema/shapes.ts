import type { Condition, ObjectReference } from '@machinist/core/resource'
import type { LabelSelectorSpec } from '@machinist/core/selectors'
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

/** Shapes that more than one kind uses. */

export function labelSelector(description: string): Schema<LabelSelectorSpec> {
  const requirement = object(
    'One demand on a label.',
    {
      key: string('The label.'),
      operator: string('In, NotIn, Exists or DoesNotExist.'),
      values: array('What In and NotIn compare with.', string('A value.')),
    },
    { required: ['key', 'operator'] },
  )
  return object(
    description,
    {
      matchLabels: map('Labels that must have exactly these values.', string('A value.')),
      matchExpressions: array('Demands that must all hold.', requirement),
    },
    { atomic: true },
  )
}

const referenceFields = {
  apiVersion: string('Its API version.'),
  kind: string('Its kind.'),
  namespace: string('Its namespace.'),
  name: string('Its name.'),
  uid: string('Its unique id.'),
  resourceVersion: string('The version that was seen.'),
  fieldPath: string('The part that is meant.'),
}

export function objectReference(description: string): Schema<ObjectReference> {
  return object(description, referenceFields, { atomic: true })
}

/** A reference to a rendered configuration, with the MachineConfigs it was made from. */
export function configurationReference(
  description: string,
): Schema<ObjectReference & { source?: ObjectReference[] }> {
  const source = array(
    'The MachineConfigs that were merged, in order.',
    objectReference('A MachineConfig.'),
  )
  return object(description, { ...referenceFields, source }, { atomic: true })
}

/** Conditions as the newer kinds have them: one per type, every part checked. */
export function conditions(
  limits: Pick<ArrayLimits, 'minItems' | 'maxItems' | 'rules'> = {},
): Schema<Condition[]> {
  const condition = object(
    'One aspect of the state.',
    {
      type: string('Which aspect.', {
        maxLength: 316,
        pattern:
          '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$',
      }),
      status: oneOf('Whether it holds.', ['True', 'False', 'Unknown']),
      reason: string('Why, as one word for programs.', {
        minLength: 1,
        maxLength: 1024,
        pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$',
      }),
      message: string('Why, as text for people.', { maxLength: 32768 }),
      lastTransitionTime: timestamp('Since when the status is what it is.'),
      observedGeneration: integer('The generation that was judged.', {
        format: 'int64',
        minimum: 0,
      }),
    },
    { required: ['type', 'status', 'reason', 'message', 'lastTransitionTime'] },
  )
  return array('The state, one aspect each.', knownAs<Condition>(condition), {
    keys: ['type'],
    ...limits,
  })
}

/** Conditions as the older kinds have them: hardly checked. `keyed` ones are unique by type. */
export function looseConditions({ keyed = false } = {}): Schema<Condition[]> {
  const fields = {
    type: string('Which aspect.'),
    status: string('Whether it holds: True, False or Unknown.'),
    reason: string('Why, as one word for programs.'),
    message: string('Why, as text for people.'),
    lastTransitionTime: nullable(timestamp('Since when the status is what it is.')),
  }
  const condition = keyed
    ? object('One aspect of the state.', fields, {
        required: ['type', 'status', 'lastTransitionTime'],
      })
    : object('One aspect of the state.', fields)
  const limits = keyed ? { keys: ['type'] } : {}
  return array('The state, one aspect each.', knownAs<Condition>(condition), limits)
}

/** The name of another object: a DNS subdomain in lower case. */
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

/** `{ name: … }`: how one object points to another of a known kind. */
export function namedReference(
  description: string,
  name: Schema<string> = objectName('Its name.'),
): Schema<{ name: string }> {
  return object(description, { name }, { required: ['name'] })
}

/** Any object of the cluster, named by its resource. */
export const relatedObject = object(
  'An object that belongs to this one.',
  {
    group: objectName('Its API group.'),
    resource: string('The plural name of its kind.', {
      minLength: 1,
      maxLength: 63,
      rules: [
        rule(
          '!format.dns1035Label().validate(self).hasValue()',
          "must be a DNS label: lower case letters, digits and '-', a letter first",
        ),
      ],
    }),
    namespace: namespaceName('Its namespace, if it has one.'),
    name: objectName('Its name.', 1),
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

/** Where a built image is pushed: a registry with a tag, or a registry service of this cluster. */
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

/** A generation that only grows. */
export function growingGeneration(
  description: string,
  limits: { readonly format: 'int32' | 'int64'; readonly minimum: number },
): Schema<number> {
  return integer(description, {
    ...limits,
    rules: [rule('self >= oldSelf', 'must not decrease')],
  })
}

/** For a choice whose options have settings of their own: `field` belongs to one value of the choice. */
export function onlyWith(field: string, choice: string, value: string): Rule {
  return rule(
    `(self.${choice} == '${value}') == has(self.${field})`,
    `${field} must be set when ${choice} is ${value}, and only then`,
  )
}
