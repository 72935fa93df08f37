import type { Cause } from '../refusal.ts'
import { invalidValue, isBlocking, rulesNotChecked } from './causes.ts'
import { checkSchema } from './check-crd.ts'
import { fillDefaults } from './default.ts'
import { deepest, isTooDeep } from './depth.ts'
import { embeddedProblems } from './embedded.ts'
import { duplicates } from './list-types.ts'
import type { Pruned } from './prune.ts'
import { prune } from './prune.ts'
import { oldMember } from './ratchet.ts'
import { compileRules, ruleProblems } from './rules.ts'
import type { StructuralSchema } from './structural-schema.ts'
import { schemaProblems } from './validate.ts'

type Content = Readonly<Record<string, unknown>>

/** What the server does with objects of one kind. Nothing here changes its input. */
export interface CompiledSchema {
  /** Drops what the schema does not know, and says what that was. */
  readonly prune: (object: Content) => Pruned
  /** Fills in defaults; also drops nulls that are not values. */
  readonly default: (object: Content) => Content
  /** All that is wrong with an object, after pruning and defaulting; none for a good one. */
  readonly validate: (object: Content, old?: Content, options?: ValidateOptions) => Cause[]
}

export interface ValidateOptions {
  /** A write to /status: only the status is held against the schema, the rules see the whole object. */
  readonly subresource?: 'status'
  /** What else was found; it is told before the rules are looked at. */
  readonly also?: readonly Cause[]
}

/** Thrown for a schema that a CRD may not have. */
export class SchemaRefused extends Error {
  readonly causes: readonly Cause[]

  constructor(causes: readonly Cause[]) {
    super(causes.map(({ field, message }) => `${field}: ${message}`).join(', '))
    this.name = 'SchemaRefused'
    this.causes = causes
  }
}

/** Compiles the schema of a CRD's version (openAPIV3Schema), once for each schema. Throws SchemaRefused. */
export function compileSchema(schema: StructuralSchema): CompiledSchema {
  const known = compiled.get(schema)
  if (known) return known
  const wrong = checkSchema(schema)
  if (wrong.length > 0) throw new SchemaRefused(wrong)
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

function statusProblems(schema: StructuralSchema, object: Content, old?: Content): Cause[] {
  const status = schema.properties?.['status']
  const value = oldMember(object, 'status')
  if (!status || value === undefined) return []
  const place = { path: 'status', prefix: 'status' }
  return schemaProblems(status, value, oldMember(old, 'status'), place)
}

/** Lists that held something twice before may go on to. */
function duplicatesSince(schema: StructuralSchema, object: Content, old?: Content): Cause[] {
  if (old !== undefined && duplicates(schema, old).length > 0) return []
  return duplicates(schema, object)
}
