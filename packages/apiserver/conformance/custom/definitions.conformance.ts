import { expect, it } from 'vitest'
import { until } from '@machinist/testing/until'
import type { Api, Body } from '../support/api.ts'
import { conformance } from '../support/conformance.ts'
import { failure } from '../support/objects.ts'
import { serveWidgets, widget, widgetSpec, widgetVersion } from '../support/widgets.ts'

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

interface Names {
  readonly kind: string
  readonly plural: string
  readonly singular?: string
  readonly shortNames?: readonly string[]
}

async function define(api: Api, unique: string, names: Names): Promise<void> {
  const group = `${unique}.example.org`
  const spec = { group, scope: 'Namespaced', names, versions: [widgetVersion(widgetSpec)] }
  const made = await api.post(definitions, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${names.plural}.${group}` },
    spec,
  })
  expect(made.code).toBe(201)
}

interface Condition {
  readonly type: string
  readonly status: string
  readonly reason: string
}

const read = async (api: Api, unique: string, plural: string): Promise<Body> =>
  (await api.get(`${definitions}/${plural}.${unique}.example.org`)).body

/** Waits until a condition has a status. */
async function become(
  api: Api,
  unique: string,
  plural: string,
  expected: Condition,
): Promise<Body['status']> {
  const reached = async (): Promise<boolean> => {
    const { status } = await read(api, unique, plural)
    const conditions = (status['conditions'] ?? []) as Condition[]
    return conditions.some(
      ({ type, status: is, reason }) =>
        type === expected.type && is === expected.status && reason === expected.reason,
    )
  }
  await until(`${plural}: ${expected.type} is ${expected.status} (${expected.reason})`, reached)
  return (await read(api, unique, plural)).status
}

const established = { type: 'Established', status: 'True', reason: 'InitialNamesAccepted' }
const time = expect.stringMatching(/Z$/) as string

const conflicting = (reason: string, message: string): object[] => [
  { type: 'NamesAccepted', status: 'False', lastTransitionTime: time, reason, message },
  {
    type: 'Established',
    status: 'False',
    lastTransitionTime: time,
    reason: 'NotAccepted',
    message: 'not all names are accepted',
  },
]

conformance('definitions', (on) => {
  it(
    'accept their names',
    on(async ({ api, unique }) => {
      await define(api, unique, { kind: 'Foo', plural: 'foos', shortNames: ['fo'] })
      const status = await become(api, unique, 'foos', established)
      expect(status).toEqual({
        conditions: [
          {
            type: 'NamesAccepted',
            status: 'True',
            lastTransitionTime: time,
            reason: 'NoConflicts',
            message: 'no conflicts found',
          },
          {
            type: 'Established',
            status: 'True',
            lastTransitionTime: time,
            reason: 'InitialNamesAccepted',
            message: 'the initial names have been accepted',
          },
        ],
        acceptedNames: {
          plural: 'foos',
          singular: 'foo',
          shortNames: ['fo'],
          kind: 'Foo',
          listKind: 'FooList',
        },
        storedVersions: ['v1'],
      })
    }),
  )

  it(
    'do not accept names of other CRDs in their group',
    on(async ({ api, unique, namespace }) => {
      await define(api, unique, { kind: 'Foo', plural: 'foos', shortNames: ['fo'] })
      await become(api, unique, 'foos', established)
      await define(api, unique, { kind: 'Foo', plural: 'bars' })
      await define(api, unique, { kind: 'Baz', plural: 'bazs', shortNames: ['fo', 'bz', 'foos'] })
      await define(api, unique, { kind: 'Qux', plural: 'quxs', singular: 'foo' })
      const rejected = (plural: string, reason: string): Promise<Body['status']> =>
        become(api, unique, plural, { type: 'NamesAccepted', status: 'False', reason })
      expect(await rejected('bars', 'ListKindConflict')).toEqual({
        conditions: conflicting('ListKindConflict', '"FooList" is already in use'),
        acceptedNames: { plural: 'bars', kind: '' },
        storedVersions: ['v1'],
      })
      expect(await rejected('bazs', 'ShortNamesConflict')).toEqual({
        conditions: conflicting(
          'ShortNamesConflict',
          '["fo" is already in use, "foos" is already in use]',
        ),
        acceptedNames: { plural: 'bazs', singular: 'baz', kind: 'Baz', listKind: 'BazList' },
        storedVersions: ['v1'],
      })
      expect(await rejected('quxs', 'SingularConflict')).toMatchObject({
        conditions: conflicting('SingularConflict', '"foo" is already in use'),
      })
      const group = `/apis/${unique}.example.org/v1/namespaces/${namespace}`
      await until('foos are served', async () => (await api.get(`${group}/foos`)).code === 200)
      expect((await api.get(`${group}/bars`)).code).toBe(404)
      expect((await api.get(`${group}/bazs`)).code).toBe(404)
    }),
  )

  it(
    'accept names that have become free',
    on(async ({ api, unique, namespace }) => {
      await define(api, unique, { kind: 'Foo', plural: 'foos', shortNames: ['fo'] })
      await become(api, unique, 'foos', established)
      await define(api, unique, { kind: 'Bar', plural: 'bars', shortNames: ['fo'] })
      const waiting = { type: 'NamesAccepted', status: 'False', reason: 'ShortNamesConflict' }
      await become(api, unique, 'bars', waiting)
      await api.delete(`${definitions}/foos.${unique}.example.org`)
      const status = await become(api, unique, 'bars', established)
      expect(status['acceptedNames']).toMatchObject({ plural: 'bars', shortNames: ['fo'] })
      const path = `/apis/${unique}.example.org/v1/namespaces/${namespace}/bars`
      await until('bars are served', async () => (await api.get(path)).code === 200)
    }),
  )

  it(
    'record storedVersions',
    on(async ({ api, unique, namespace }) => {
      const { definition } = await serveWidgets(api, unique, namespace)
      const [old, fresh] = [
        (storage: boolean): object => widgetVersion(widgetSpec, 'v1', storage),
        (storage: boolean): object => widgetVersion(widgetSpec, 'v2', storage),
      ]
      const moved = await api.patch(definition, 'merge', {
        spec: { versions: [old(false), fresh(true)] },
      })
      expect(moved.body.status['storedVersions']).toEqual(['v1', 'v2'])
      const dropped = await api.patch(definition, 'merge', { spec: { versions: [fresh(true)] } })
      expect(dropped.body).toEqual(
        failure(
          422,
          'Invalid',
          `CustomResourceDefinition.apiextensions.k8s.io "widgets.${unique}.example.org" is invalid: status.storedVersions[0]: Invalid value: "v1": must appear in spec.versions`,
          {
            name: `widgets.${unique}.example.org`,
            group: 'apiextensions.k8s.io',
            kind: 'CustomResourceDefinition',
            causes: [
              {
                reason: 'FieldValueInvalid',
                message: 'Invalid value: "v1": must appear in spec.versions',
                field: 'status.storedVersions[0]',
              },
            ],
          },
        ),
      )
      const none = await api.patch(`${definition}/status`, 'merge', {
        status: { storedVersions: [] },
      })
      expect(none.body.status['storedVersions']).toEqual(['v2'])
      const gone = await api.patch(definition, 'merge', { spec: { versions: [fresh(true)] } })
      expect(gone.code).toBe(200)
    }),
  )

  it(
    'are removed after their objects',
    on(async ({ api, unique, namespace }) => {
      const { path, definition } = await serveWidgets(api, unique, namespace)
      const held = widget(unique, 'held')
      await api.post(path, {
        ...held,
        metadata: { name: 'held', finalizers: ['example.org/hold'] },
      })
      const { body } = await api.delete(definition)
      expect(body.metadata.finalizers).toEqual(['customresourcecleanup.apiextensions.k8s.io'])
      expect(body.status['conditions']).toContainEqual({
        type: 'Terminating',
        status: 'True',
        lastTransitionTime: time,
        reason: 'InstanceDeletionPending',
        message:
          'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
      })
      const leaving = { type: 'Terminating', status: 'True', reason: 'InstanceDeletionInProgress' }
      await become(api, unique, 'widgets', leaving)
      await until('its object is deleted', async () => {
        const answer = await api.get(`${path}/held`)
        return answer.body.metadata.deletionTimestamp !== undefined
      })
      const rejected = await api.post(path, widget(unique, 'late'))
      expect(rejected.body).toEqual(
        failure(
          405,
          'MethodNotAllowed',
          'create not allowed while custom resource definition is terminating',
          { group: `${unique}.example.org`, kind: 'widgets' },
        ),
      )
      await api.patch(`${path}/held`, 'merge', { metadata: { finalizers: null } })
      await until('the definition is gone', async () => (await api.get(definition)).code === 404)
      await until(
        'its objects are no longer served',
        async () => (await api.get(path)).code === 404,
      )
    }),
  )
})
