import type { JsonObject } from '@machinist/core/encoding/json'
import type { Condition, KubeObject } from '@machinist/core/objects/resource'
import { resource } from '@machinist/core/objects/resource'

export interface CustomResourceDefinition extends KubeObject {
  spec: {
    group: string
    scope: 'Cluster' | 'Namespaced'
    names: CustomResourceNames
    versions: CustomResourceVersion[]
    conversion?: JsonObject
    preserveUnknownFields?: boolean
  }
  status?: {
    conditions?: Condition[]
    acceptedNames?: CustomResourceNames
    storedVersions?: string[]
  }
}

export interface CustomResourceNames {
  kind: string
  plural: string
  singular?: string
  listKind?: string
  shortNames?: string[]
  categories?: string[]
}

export interface CustomResourceVersion {
  name: string
  served: boolean
  storage: boolean
  deprecated?: boolean
  deprecationWarning?: string
  schema?: { openAPIV3Schema?: JsonObject }
  subresources?: { status?: JsonObject; scale?: JsonObject }
  additionalPrinterColumns?: JsonObject[]
  selectableFields?: { jsonPath: string }[]
}

export const customResourceDefinitions = resource<CustomResourceDefinition>({
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
})
