import type { Shape } from '../../src/patch/shapes/shape.ts'

/** Special rules of fields as strings, so that tables can be compared. */
export type Rules = Readonly<Record<string, string>>

export type Definitions = Readonly<Record<string, Definition>>

interface Definition {
  readonly $ref?: string
  readonly properties?: Definitions
  readonly items?: Definition
  readonly additionalProperties?: Definition
  readonly 'x-kubernetes-list-type'?: string
  readonly 'x-kubernetes-list-map-keys'?: readonly string[]
  readonly 'x-kubernetes-map-type'?: string
  readonly 'x-kubernetes-patch-strategy'?: string
  readonly 'x-kubernetes-patch-merge-key'?: string
  readonly 'x-kubernetes-group-version-kind'?: readonly {
    readonly group: string
    readonly version: string
    readonly kind: string
  }[]
}

export const servedBuiltIns = [
  '/ConfigMap',
  '/Event',
  '/Namespace',
  '/Node',
  '/Pod',
  '/Secret',
  '/Service',
  '/ServiceAccount',
  'admissionregistration.k8s.io/ValidatingAdmissionPolicy',
  'admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding',
  'apiextensions.k8s.io/CustomResourceDefinition',
  'apps/DaemonSet',
  'apps/Deployment',
  'certificates.k8s.io/CertificateSigningRequest',
  'coordination.k8s.io/Lease',
  'events.k8s.io/Event',
  'policy/PodDisruptionBudget',
  'rbac.authorization.k8s.io/ClusterRole',
  'rbac.authorization.k8s.io/ClusterRoleBinding',
  'rbac.authorization.k8s.io/Role',
  'rbac.authorization.k8s.io/RoleBinding',
]

/** The rules of a kind in an OpenAPI document. */
export function rulesOf(definitions: Definitions, name: string): Rules {
  const [, kind] = Object.entries(definitions).find(([, definition]) =>
    definition['x-kubernetes-group-version-kind']?.some(
      (one) => one.version === 'v1' && `${one.group}/${one.kind}` === name,
    ),
  )!
  const found: Record<string, string> = {}
  walkDefinition(definitions, kind, '', found)
  return found
}

function walkDefinition(
  all: Definitions,
  definition: Definition,
  path: string,
  found: Record<string, string>,
): void {
  for (const [name, field] of Object.entries(definition.properties ?? {})) {
    const here = `${path}.${name}`
    const own = resolved(all, field)
    const rule = ruleOfDefinition(all, field)
    if (rule !== '') found[here] = rule
    if (own['x-kubernetes-map-type'] === 'atomic') continue
    const isKeyed = field['x-kubernetes-list-type'] === 'map'
    const below = isKeyed ? resolved(all, field.items!) : own
    if (below['x-kubernetes-map-type'] !== 'atomic') walkDefinition(all, below, here, found)
  }
}

const resolved = (all: Definitions, definition: Definition): Definition =>
  definition.$ref ? all[definition.$ref.replace('#/definitions/', '')]! : definition

function ruleOfDefinition(all: Definitions, field: Definition): string {
  const own = resolved(all, field)
  const list = field['x-kubernetes-list-type']
  const items = field.items && resolved(all, field.items)
  const isKeyed = list === 'map'
  return ruleText({
    list: list === 'atomic' ? undefined : list,
    keys: field['x-kubernetes-list-map-keys'],
    atomic:
      (own['x-kubernetes-map-type'] ?? field['x-kubernetes-map-type']) === 'atomic' ||
      (isKeyed && items?.['x-kubernetes-map-type'] === 'atomic'),
    map: own.additionalProperties !== undefined,
    // retainKeys is requested by the patch itself.
    strategy: field['x-kubernetes-patch-strategy']?.split(',').find((one) => one !== 'retainKeys'),
    mergeKey: field['x-kubernetes-patch-merge-key'],
  })
}

/** The rules in the table of this package. */
export function rulesOfShape(shape: Shape): Rules {
  const found: Record<string, string> = {}
  walkShape(shape, '', found)
  return found
}

function walkShape(shape: Shape, path: string, found: Record<string, string>): void {
  for (const [name, field] of Object.entries(shape.fields ?? {})) {
    const here = `${path}.${name}`
    const rule = ruleText({
      list: field.list,
      keys: field.keys,
      atomic: field.atomic === true || field.items?.atomic === true,
      map: field.entries !== undefined,
      strategy: field.patch?.strategy,
      mergeKey: field.patch?.mergeKey,
    })
    if (rule !== '') found[here] = rule
    if (!field.atomic) walkShape((field.list ? field.items : field) ?? {}, here, found)
  }
}

interface Rule {
  readonly list: string | undefined
  readonly keys: readonly string[] | undefined
  readonly atomic: boolean
  readonly map: boolean
  readonly strategy: string | undefined
  readonly mergeKey: string | undefined
}

function ruleText({ list, keys, atomic, map, strategy, mergeKey }: Rule): string {
  return [
    list && (keys ? `${list} by ${keys.join()}` : list),
    atomic && 'atomic',
    map && 'entries',
    strategy && `patch ${strategy}${mergeKey ? ` by ${mergeKey}` : ''}`,
  ]
    .filter(Boolean)
    .join(', ')
}
