import { apiVersionOf } from '@machinist/core/objects/resource'
import type { Kind } from '../schema/kind.ts'
import type { OpenApiSchema } from '../schema/schema.ts'
import type { GeneratedFile } from './crds.ts'
import { imageRegistryKinds, kinds } from './kinds.ts'

/** The pages of docs/api, one per kind, generated from the same schemas as the CRDs. */
export function referencePages(): GeneratedFile[] {
  return [
    { name: 'README.md', text: indexPage() },
    ...[...kinds, ...imageRegistryKinds].map((kind) => ({
      name: pageName(kind),
      text: kindPage(kind),
    })),
  ]
}

const notice = '<!-- Generated from src/api/kinds by scripts/generate-crds.ts. -->'

function indexPage(): string {
  const row = (kind: Kind): string =>
    `- [${kind.resource.kind}](${pageName(kind)}): ${kind.description}`
  const imageRegistries =
    'OpenShift provides the following kinds. On other clusters, [deploy/image-registries](../../deploy/image-registries/README.md) installs them:'
  return [
    notice,
    '',
    '# API reference',
    '',
    ...kinds.map(row),
    '',
    imageRegistries,
    '',
    ...imageRegistryKinds.map(row),
    '',
  ].join('\n')
}

function kindPage(kind: Kind): string {
  const { resource, shortNames } = kind
  const resourceNames = [resource.plural, ...shortNames].map((name) => `\`${name}\``).join(', ')
  const status = kind.status ? section('status', kind.status.openapi) : []
  return [
    notice,
    '',
    `# ${resource.kind}`,
    '',
    kind.description,
    '',
    `\`${apiVersionOf(resource)}\`, cluster-scoped. Resource names for \`kubectl\`: ${resourceNames}.`,
    '',
    ...rulesList(kind.rules),
    ...section('spec', kind.spec.openapi),
    ...status,
  ].join('\n')
}

function section(name: string, schema: OpenApiSchema): string[] {
  const rows = fields(schema, '').map(
    ({ path, schema, required }) =>
      `| \`${path}\` | ${typeName(schema)} | ${cell(summary(schema, required))} |`,
  )
  return [
    `## ${name}`,
    '',
    schema.description ?? '',
    '',
    '| Field | Type | Description |',
    '| --- | --- | --- |',
    ...rows,
    '',
  ]
}

interface Field {
  path: string
  schema: OpenApiSchema
  required: boolean
}

/** The fields of an object, each followed by its nested fields. */
function fields(schema: OpenApiSchema, prefix: string): Field[] {
  const found: Field[] = []
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const path = `${prefix}${name}`
    found.push({ path, schema: field, required: schema.required?.includes(name) ?? false })
    found.push(...fields(field.items ?? field, field.items ? `${path}[].` : `${path}.`))
  }
  return found
}

function typeName(schema: OpenApiSchema): string {
  if (schema['x-kubernetes-int-or-string']) return 'integer or string'
  if (schema.items) return `list of ${typeName(schema.items)}s`
  if (schema.additionalProperties) return `map of ${typeName(schema.additionalProperties)}s`
  if (schema.format === 'date-time') return 'time'
  if (schema.format === 'byte') return 'base64'
  return schema.type ?? 'object'
}

function summary(schema: OpenApiSchema, required: boolean): string {
  const inner = schema.items ?? schema
  const rules = [...(schema['x-kubernetes-validations'] ?? []), ...innerRules(schema)]
  return [
    schema.description ?? '',
    required ? 'Required.' : '',
    inner.enum ? `One of ${inner.enum.map((value) => `\`${value || '""'}\``).join(', ')}.` : '',
    schema.default === undefined ? '' : `Defaults to \`${schema.default}\`.`,
    limits(schema),
    ...rules.map(({ message }) => `Validation: ${message}.`),
  ]
    .filter((part) => part !== '')
    .join(' ')
}

function innerRules(schema: OpenApiSchema): readonly { message: string }[] {
  return schema.items?.['x-kubernetes-validations'] ?? []
}

function limits(schema: OpenApiSchema): string {
  const found = [
    schema.maxItems === undefined ? '' : `At most ${schema.maxItems} items.`,
    schema.maxLength === undefined ? '' : `At most ${schema.maxLength} characters.`,
    schema.maximum === undefined ? '' : `From ${schema.minimum ?? 0} to ${schema.maximum}.`,
  ]
  return found.filter((part) => part !== '').join(' ')
}

function rulesList(rules: Kind['rules']): string[] {
  return rules.length === 0 ? [] : [...rules.map(({ message }) => `- Validation: ${message}.`), '']
}

function pageName(kind: Kind): string {
  return `${kind.resource.kind.replaceAll(/(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, '-').toLowerCase()}.md`
}

const cell = (text: string): string => text.replaceAll('|', '\\|')
