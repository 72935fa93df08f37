/** Invalid schemas of a whole object, and some that are valid although they look invalid. */
export const mistakes: Readonly<Record<string, unknown>> = {
  'no type': spec({ properties: { a: { description: 'no type' } } }),
  'no type at the root': { properties: {} },
  'root is no object': { type: 'string' },
  'no type in items': spec({ type: 'object', properties: { a: { type: 'array', items: {} } } }),
  'no items': spec({ type: 'object', properties: { a: { type: 'array' } } }),
  'unknown type': spec({ type: 'object', properties: { a: { type: 'text' } } }),
  'type in anyOf': spec({
    type: 'object',
    properties: { a: { type: 'string', anyOf: [{ type: 'string' }] } },
  }),
  'default in allOf': spec({
    type: 'object',
    properties: { a: { type: 'string', allOf: [{ default: 'x' }] } },
  }),
  'unknown property in anyOf': spec({
    type: 'object',
    properties: { a: { type: 'string' } },
    anyOf: [{ properties: { b: { minLength: 1 } } }],
  }),
  'properties and additionalProperties': spec({
    type: 'object',
    properties: { a: { type: 'string' } },
    additionalProperties: { type: 'string' },
  }),
  'additionalProperties false': spec({ type: 'object', additionalProperties: false }),
  'additionalProperties at the root': { type: 'object', additionalProperties: { type: 'string' } },
  uniqueItems: spec({
    type: 'object',
    properties: { a: { type: 'array', uniqueItems: true, items: { type: 'string' } } },
  }),
  'int-or-string with type': spec({
    type: 'object',
    properties: { a: { type: 'string', 'x-kubernetes-int-or-string': true } },
  }),
  'embedded resource without fields': spec({
    type: 'object',
    properties: { a: { type: 'object', 'x-kubernetes-embedded-resource': true } },
  }),
  'embedded string': spec({
    type: 'object',
    properties: { a: { type: 'string', 'x-kubernetes-embedded-resource': true } },
  }),
  'preserve false': spec({ type: 'object', 'x-kubernetes-preserve-unknown-fields': false }),
  'list type of an object': spec({ type: 'object', 'x-kubernetes-list-type': 'set' }),
  'unknown list type': spec({
    type: 'object',
    properties: {
      a: { type: 'array', 'x-kubernetes-list-type': 'bag', items: { type: 'string' } },
    },
  }),
  'list map without keys': spec({
    type: 'object',
    properties: {
      a: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        items: { type: 'object', properties: {} },
      },
    },
  }),
  'list map keys of a set': spec({
    type: 'object',
    properties: {
      a: {
        type: 'array',
        'x-kubernetes-list-type': 'set',
        'x-kubernetes-list-map-keys': ['k'],
        items: { type: 'string' },
      },
    },
  }),
  'list map key that is unknown': spec({
    type: 'object',
    properties: {
      a: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k', 'o', 'z', 'z'],
        items: {
          type: 'object',
          properties: { k: { type: 'string' }, o: { type: 'object' } },
          required: ['k'],
        },
      },
    },
  }),
  'list map of strings': spec({
    type: 'object',
    properties: {
      a: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
        items: { type: 'string' },
      },
    },
  }),
  'set of objects': spec({
    type: 'object',
    properties: {
      a: {
        type: 'array',
        'x-kubernetes-list-type': 'set',
        items: { type: 'object', properties: { a: { type: 'string' } } },
      },
    },
  }),
  'set of lists': spec({
    type: 'object',
    properties: {
      a: {
        type: 'array',
        'x-kubernetes-list-type': 'set',
        items: { type: 'array', items: { type: 'string' } },
      },
    },
  }),
  'nullable set items': spec({
    type: 'object',
    properties: {
      a: {
        type: 'array',
        'x-kubernetes-list-type': 'set',
        items: { type: 'string', nullable: true },
      },
    },
  }),
  'unknown map type': spec({ type: 'object', 'x-kubernetes-map-type': 'round', properties: {} }),
  'map type of a string': spec({
    type: 'object',
    properties: { a: { type: 'string', 'x-kubernetes-map-type': 'atomic' } },
  }),
  'default of the wrong type': spec({
    type: 'object',
    properties: { a: { type: 'string', default: 1 } },
  }),
  'default that is not allowed': spec({
    type: 'object',
    properties: { a: { type: 'string', enum: ['a'], default: 'b' } },
  }),
  'default with unknown fields': spec({
    type: 'object',
    properties: { a: { type: 'object', default: { b: 1 }, properties: { c: { type: 'string' } } } },
  }),
  'default that breaks a rule': spec({
    type: 'object',
    properties: {
      a: { type: 'integer', default: 1, 'x-kubernetes-validations': [{ rule: 'self > 5' }] },
    },
  }),
  'null default': spec({ type: 'object', properties: { a: { type: 'string', default: null } } }),
  'bad pattern': spec({ type: 'object', properties: { a: { type: 'string', pattern: '(' } } }),
  'pattern with look-ahead': spec({
    type: 'object',
    properties: { a: { type: 'string', pattern: '^(?!x)' } },
  }),
  'metadata with more': {
    type: 'object',
    properties: { metadata: { type: 'object', properties: { labels: { type: 'object' } } } },
  },
  'metadata of the wrong type': { type: 'object', properties: { metadata: { type: 'string' } } },
  'apiVersion of the wrong type': {
    type: 'object',
    properties: { apiVersion: { type: 'integer' } },
  },
  'rule that does not parse': ruled({ rule: 'self.a ==' }),
  'rule with an unknown field': ruled({ rule: 'self.b == "a"' }),
  'rule of the wrong type': ruled({ rule: 'self.a' }),
  'rule with an unknown variable': ruled({ rule: 'other == 1' }),
  'rule with an unknown function': ruled({ rule: 'nope(self.a)' }),
  'rule with mixed types': ruled({ rule: 'self.a == 1' }),
  'rule with a wrong operand': ruled({ rule: 'self.a + 1 == 2' }),
  'empty rule': ruled({ rule: '' }),
  'blank rule': ruled({ rule: '  ' }),
  'message with line breaks': ruled({ rule: 'true', message: 'a\nb' }),
  'blank message': ruled({ rule: 'true', message: '  ' }),
  'rule over lines without message': ruled({ rule: 'true\n&& true' }),
  'unknown reason': ruled({ rule: 'true', reason: 'Bad' }),
  'message expression of the wrong type': ruled({ rule: 'true', messageExpression: '1' }),
  'message expression that does not parse': ruled({ rule: 'true', messageExpression: '"' }),
  'field path of nothing': ruled({ rule: 'true', fieldPath: '.zzz' }),
  'field path without dot': ruled({ rule: 'true', fieldPath: 'a' }),
  'optionalOldSelf without oldSelf': ruled({ rule: 'true', optionalOldSelf: true }),
  'transition rule in a list': spec({
    type: 'object',
    properties: {
      l: {
        type: 'array',
        items: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] },
      },
    },
  }),
  'transition rule in a set': spec({
    type: 'object',
    properties: {
      l: {
        type: 'array',
        'x-kubernetes-list-type': 'set',
        items: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] },
      },
    },
  }),
  'rule on an open field': ruled({ rule: 'self.open.anything == 1' }),
  'rule within anyOf': spec({
    type: 'object',
    properties: { a: { type: 'string' } },
    anyOf: [{ properties: { a: { 'x-kubernetes-validations': [{ rule: 'true' }] } } }],
  }),
  'minimum greater than maximum': spec({
    type: 'object',
    properties: { a: { type: 'integer', minimum: 5, maximum: 1 } },
  }),
  'required but unknown': spec({ type: 'object', required: ['zzz'], properties: {} }),
  'not spelled right': spec({
    type: 'object',
    properties: { a: { type: 'string', minlength: 1 } },
  }),
  reference: spec({ type: 'object', properties: { a: { $ref: '#/x' } } }),
  fine: spec({ type: 'object', properties: { a: { type: 'string', enum: ['a'], default: 'a' } } }),
}

function spec(schema: unknown): unknown {
  return { type: 'object', properties: { spec: schema } }
}

function ruled(rule: unknown): unknown {
  return spec({
    type: 'object',
    properties: {
      a: { type: 'string', maxLength: 10 },
      open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    },
    'x-kubernetes-validations': [rule],
  })
}
