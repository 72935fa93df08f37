import { describe, expect, it } from 'vitest'
import { resource } from '@machinist/core/objects/resource'
import { ageColumn, conditionColumn, countColumn, kind, textColumn, wide } from '../schema/kind.ts'
import { integer, object, rule } from '../schema/schema.ts'
import { customResourceDefinition } from './crd.ts'

const ships = resource({
  group: 'harbour.example.com',
  version: 'v1',
  kind: 'Ship',
  plural: 'ships',
  namespaced: true,
})

describe('a CustomResourceDefinition', () => {
  it('is generated from a kind', () => {
    const ship = kind(ships, 'A ship.', {
      shortNames: ['sh'],
      columns: [
        textColumn('Flag', '.spec.flag'),
        countColumn('Masts', '.spec.masts'),
        wide(conditionColumn('Afloat')),
        ageColumn,
      ],
      spec: object('What it is.', { masts: integer('How many.') }),
      status: object('How it is.', {}),
      rules: [rule("self.metadata.name != 'titanic'", 'not again')],
    })
    expect(customResourceDefinition(ship)).toEqual({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: {
        name: 'ships.harbour.example.com',
        labels: { 'openshift.io/operator-managed': '' },
      },
      spec: {
        group: 'harbour.example.com',
        names: {
          kind: 'Ship',
          listKind: 'ShipList',
          plural: 'ships',
          singular: 'ship',
          shortNames: ['sh'],
        },
        scope: 'Namespaced',
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            subresources: { status: {} },
            additionalPrinterColumns: [
              { name: 'Flag', type: 'string', jsonPath: '.spec.flag' },
              { name: 'Masts', type: 'number', jsonPath: '.spec.masts' },
              {
                name: 'Afloat',
                type: 'string',
                jsonPath: '.status.conditions[?(@.type=="Afloat")].status',
                priority: 1,
              },
              { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
            ],
            schema: {
              openAPIV3Schema: {
                description: 'A ship.',
                type: 'object',
                properties: {
                  apiVersion: { type: 'string' },
                  kind: { type: 'string' },
                  metadata: { type: 'object' },
                  spec: {
                    description: 'What it is.',
                    type: 'object',
                    properties: {
                      masts: { description: 'How many.', type: 'integer', format: 'int32' },
                    },
                  },
                  status: { description: 'How it is.', type: 'object', properties: {} },
                },
                required: ['spec'],
                'x-kubernetes-validations': [
                  { rule: "self.metadata.name != 'titanic'", message: 'not again' },
                ],
              },
            },
          },
        ],
      },
    })
  })

  it('has no status subresource, columns or short names by default', () => {
    const bare = kind({ ...ships, namespaced: false }, 'A ship.', {
      spec: object('What it is.', {}),
      specRequired: false,
    })
    const { names, scope, versions } = customResourceDefinition(bare).spec
    expect(scope).toBe('Cluster')
    expect(names).not.toHaveProperty('shortNames')
    expect(Object.keys(versions[0]!)).toEqual(['name', 'served', 'storage', 'schema'])
    expect(versions[0]?.schema.openAPIV3Schema).not.toHaveProperty('required')
  })
})
