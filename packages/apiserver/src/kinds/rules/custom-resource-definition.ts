import { isObject } from '@machinist/core/encoding/json'
import type { Condition } from '@machinist/core/objects/resource'
import type { StatusCause } from '../../status/status-error.ts'
import { checkSchema } from '../../schema/check-crd.ts'
import type { StructuralSchema } from '../../schema/structure/structural-schema.ts'
import type { ApiObject, KindRules } from '../kind-rules.ts'
import type { Fields } from '../fields.ts'
import { fill, items, section, specOf, statusOf, textOf, textsOf } from '../fields.ts'

/** Keeps a CRD until its objects are deleted. */
export const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io'

export const definitionRules: KindRules = {
  generation: true,
  requiresResourceVersion: true,
  returnsDeleted: true,
  prepareForCreate(definition) {
    const stored = items(specOf(definition)['versions']).filter((version) => version['storage'])
    definition['status'] = {
      conditions: null,
      acceptedNames: { plural: '', kind: '' },
      storedVersions: stored.map((version) => version['name']),
    }
  },
  complete(definition) {
    const spec = specOf(definition)
    const names = section(spec, 'names')
    if (typeof names['kind'] === 'string') {
      fill(names, { singular: names['kind'].toLowerCase(), listKind: `${names['kind']}List` })
    }
    fill(spec, { conversion: { strategy: 'None' } })
    statusOf(definition)
  },
  /** A stored version stays listed while objects may be stored in it; only a status update removes it. */
  prepareForUpdate(definition, _before, { subresource }) {
    const status = statusOf(definition)
    const noted = textsOf(status['storedVersions'])
    const storage = items(specOf(definition)['versions']).find((version) => version['storage'])
    const isNoted = noted.includes(textOf(storage?.['name']))
    if (!storage || isNoted || (subresource === 'status' && noted.length > 0)) return
    definition['status'] = { ...status, storedVersions: [...noted, storage['name']] }
  },
  validate(definition, before, { subresource }) {
    // A status update does not change the schemas, and checking them is expensive.
    if (subresource === 'status') return []
    return [...problems(definition), ...(before ? unknownStored(definition) : [])]
  },
  deletion: {
    mark(definition, now) {
      const { metadata } = definition
      metadata.finalizers = [...new Set([...(metadata.finalizers ?? []), cleanupFinalizer])]
      const status = statusOf(definition)
      const others = conditionsOf(definition).filter(({ type }) => type !== 'Terminating')
      status['conditions'] = [...others, terminating(now)]
    },
    held: () => false,
  },
}

export const conditionsOf = (definition: ApiObject): Condition[] => {
  const conditions = statusOf(definition)['conditions']
  return Array.isArray(conditions) ? (conditions as Condition[]) : []
}

const terminating = (now: string): Condition => ({
  type: 'Terminating',
  status: 'True',
  lastTransitionTime: now,
  reason: 'InstanceDeletionPending',
  message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
})

function problems(definition: ApiObject): StatusCause[] {
  const spec = specOf(definition)
  const name = definition.metadata.name
  const causes: StatusCause[] = []
  if (name !== `${String(section(spec, 'names')['plural'])}.${String(spec['group'])}`) {
    causes.push({
      reason: 'FieldValueInvalid',
      message: `Invalid value: ${JSON.stringify(name)}: must be spec.names.plural+"."+spec.group`,
      field: 'metadata.name',
    })
  }
  causes.push(...missing(spec))
  const versions = items(spec['versions'])
  versions.forEach((version, index) => {
    const schema = schemaOf(version)
    const path = `spec.versions[${index}].schema.openAPIV3Schema`
    if (schema === undefined) causes.push(schemaRequired(path))
    else causes.push(...checkSchema(schema, path))
  })
  if (versions.filter((version) => version['storage'] === true).length !== 1) {
    causes.push(oneStored(versions))
  }
  return causes
}

/** Required fields. */
function missing(spec: Fields): StatusCause[] {
  const names = section(spec, 'names')
  const needed = [
    ['spec.group', spec['group']],
    ['spec.scope', spec['scope']],
    ['spec.names.plural', names['plural']],
    ['spec.names.singular', names['singular']],
    ['spec.names.kind', names['kind']],
    ['spec.names.listKind', names['listKind']],
    ...items(spec['versions']).map((version, index) => [
      `spec.versions[${index}].name`,
      version['name'],
    ]),
  ] as const
  return needed
    .filter(([, value]) => typeof value !== 'string' || value === '')
    .map(([field]) => ({
      reason: 'FieldValueRequired',
      message: 'Required value',
      field: String(field),
    }))
}

const schemaOf = ({ schema }: Fields): StructuralSchema | undefined =>
  isObject(schema) && isObject(schema['openAPIV3Schema']) ? schema['openAPIV3Schema'] : undefined

const schemaRequired = (field: string): StatusCause => ({
  reason: 'FieldValueRequired',
  message: 'Required value: schemas are required',
  field,
})

const oneStored = (versions: readonly Fields[]): StatusCause => ({
  reason: 'FieldValueInvalid',
  message: `Invalid value: ${JSON.stringify(versions)}: must have exactly one version marked as storage version`,
  field: 'spec.versions',
})

/** Objects may still be stored in a version, so it cannot be removed. */
function unknownStored(definition: ApiObject): StatusCause[] {
  const names = new Set(items(specOf(definition)['versions']).map((version) => version['name']))
  return textsOf(statusOf(definition)['storedVersions']).flatMap((name, index) =>
    names.has(name)
      ? []
      : [
          {
            reason: 'FieldValueInvalid',
            message: `Invalid value: ${JSON.stringify(name)}: must appear in spec.versions`,
            field: `status.storedVersions[${index}]`,
          },
        ],
  )
}
