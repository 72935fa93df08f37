import type { StatusCause } from '../status/status-error.ts'
import { invalidValue, isBlocking, rulesNotChecked } from '../status/causes.ts'
import { checkSchema } from './check-crd.ts'
import { fillDefaults } from './default.ts'
import { deepest, isTooDeep } from './structure/depth.ts'
import { embeddedProblems } from './embedded.ts'
import { duplicates } from './list-types.ts'
import type { Pruned } from './prune.ts'
import { prune } from './prune.ts'
import { oldMember } from './ratchet.ts'
import { compileRules, ruleProblems } from './rules.ts'
import type { StructuralSchema } from './structure/structural-schema.ts'
import { schemaProblems } from './validate.ts'

type Content = Readonly<Record<string, unknown>>

/** Operations on objects of one kind. They never modify their input. */
export interface CompiledSchema {
  /** Removes fields that the schema does not have, and lists them. */
  readonly prune: (object: Content) => Pruned
  /** Fills in defaults; drops nulls that are not nullable. */
  readonly default: (object: Content) => Content
  /** Validates a pruned and defaulted object; no causes if it is valid. */
  readonly validate: (object: Content, old?: Content, options?: ValidateOptions) => StatusCause[]
}

export interface ValidateOptions {
  /** A status update: only the status is validated by the schema, but rules see the whole object. */
  readonly subresource?: 'status'
  /** Causes of other validators, to be reported before the rules run. */
  readonly also?: readonly StatusCause[]
}

/** The schema is not valid in a CRD. */
export class InvalidSchema extends Error {
  readonly causes: readonly StatusCause[]

  constructor(causes: readonly StatusCause[]) {
    super(causes.map(({ field, message }) => `${field}: ${message}`).join(', '))
    this.name = 'SchemaRefused'
    this.causes = causes
  }
}

/** Compiles the openAPIV3Schema of a CRD version, once per schema. Throws SchemaRefused. */
export function compileSchema(schema: StructuralSchema): CompiledSchema {
  const known = compiled.get(schema)
  if (known) return known
  const wrong = checkSchema(schema)
  if (wrong.length > 0) throw new InvalidSchema(wrong)
  const made = compile(schema)
  compiled.set(schema, made)
  return made
}

const compiled = new WeakMap<StructuralSchema, CompiledSchema>()

function compile(schema: StructuralSchema): CompiledSchema {
  const rules = compileRules(schema)
  return {
    prune: (object) => (isTooDeep(object) ? { object, unknown: [] } : prune(schema, object)),
    default: (object) => (isTooDeep(object) ? object : fillDefaults(schema, object)),
    validate: (object, old, { subresource, also = [] } = {}) => {
      if (isTooDeep(object)) return [tooDeep]
      const found = [
        ...(subresource === 'status'
          ? statusProblems(schema, object, old)
          : schemaProblems(schema, object, old, { path: '', prefix: '' })),
        ...embeddedProblems(schema, object),
        ...duplicatesSince(schema, object, old),
        ...also,
      ]
      if (!rules) return found
      if (found.some((cause) => isBlocking(cause))) return [...found, rulesNotChecked]
      return [...found, ...ruleProblems(rules, object, old)]
    },
  }
}

const tooDeep = invalidValue('', 'object', `must not be nested deeper than ${deepest}`)

function statusProblems(schema: StructuralSchema, object: Content, old?: Content): StatusCause[] {
  const status = schema.properties?.['status']
  const value = oldMember(object, 'status')
  if (!status || value === undefined) return []
  const place = { path: 'status', prefix: 'status' }
  return schemaProblems(status, value, oldMember(old, 'status'), place)
}

/** Tolerates duplicates if the old object has duplicates too. */
function duplicatesSince(schema: StructuralSchema, object: Content, old?: Content): StatusCause[] {
  if (old !== undefined && duplicates(schema, old).length > 0) return []
  return duplicates(schema, object)
}
