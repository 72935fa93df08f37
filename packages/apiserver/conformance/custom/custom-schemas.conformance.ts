import { expect, it } from 'vitest'
import { until } from '@machinist/testing/until'
import type { Answer } from '../support/api.ts'
import { conformance } from '../support/conformance.ts'
import { failure } from '../support/objects.ts'
import { causesOf, serveThings, thingVersion, warningsOf } from '../support/things.ts'

const text = { type: 'string' }
const whole = { type: 'integer' }
const open = { 'x-kubernetes-preserve-unknown-fields': true }

conformance('custom schemas', (on) => {
  it(
    'unknown fields are pruned at any depth, with a warning each',
    on(async (stage) => {
      const inner = { type: 'object', properties: { a: text } }
      const { post } = await serveThings(stage, {
        nested: { type: 'object', properties: { a: text, b: inner } },
        list: { type: 'array', items: inner },
        map: { type: 'object', additionalProperties: inner },
      })
      const made = await post('t', {
        bogus: 1,
        nested: { a: 'x', z: 1, b: { a: 'y', z: 2 } },
        list: [{ a: 'x', z: 1 }],
        map: { k: { a: 'x', z: 1 } },
      })
      expect(made.body.spec).toEqual({
        nested: { a: 'x', b: { a: 'y' } },
        list: [{ a: 'x' }],
        map: { k: { a: 'x' } },
      })
      expect(warningsOf(made)).toEqual([
        'unknown field "spec.bogus"',
        'unknown field "spec.list[0].z"',
        'unknown field "spec.map.k.z"',
        'unknown field "spec.nested.b.z"',
        'unknown field "spec.nested.z"',
      ])
    }),
  )

  it(
    'x-kubernetes-preserve-unknown-fields keeps unknown fields, but not below known ones',
    on(async (stage) => {
      const known = { type: 'object', properties: { a: text } }
      const { post } = await serveThings(stage, {
        open: { type: 'object', ...open, properties: { known } },
        any: open,
      })
      const first = await post('a', { open: { x: 1, known: { a: 'x', z: 1 } }, any: { x: [1] } })
      expect(first.body.spec).toEqual({ open: { x: 1, known: { a: 'x' } }, any: { x: [1] } })
      expect(warningsOf(first)).toEqual(['unknown field "spec.open.known.z"'])
      expect((await post('b', { any: 5 })).body.spec).toEqual({ any: 5 })
      expect((await post('c', { any: null })).body.spec).toEqual({})
    }),
  )

  it(
    'an embedded resource has a type and metadata',
    on(async (stage) => {
      const embedded = { type: 'object', 'x-kubernetes-embedded-resource': true }
      const { post } = await serveThings(stage, { within: { ...embedded, ...open } })
      const within = (value: object): Promise<Answer> => post('t', { within: value })
      const typed = { apiVersion: 'v1', kind: 'Pod' }
      expect(causesOf(await within({ metadata: { name: 'x' } }))).toEqual([
        'spec.within.apiVersion: Required value: must not be empty',
        'spec.within.kind: Required value: must not be empty',
      ])
      expect(causesOf(await within({ apiVersion: 'a/b/c', kind: '' }))).toEqual([
        'spec.within.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
        'spec.within.kind: Invalid value: "": must not be empty',
      ])
      const [label] = causesOf(await within({ ...typed, metadata: { labels: { 'a b': 'c' } } }))
      expect(label).toMatch(
        /^spec\.within\.metadata\.labels: Invalid value: "a b": name part must /,
      )
      const rejected = 'Thing in version "v1" cannot be handled as a Thing: spec.within'
      expect((await within({ ...typed, metadata: { labels: { a: 1 } } })).body).toEqual(
        failure(
          400,
          'BadRequest',
          `${rejected}.metadata: Invalid value: map[string]interface {}{"labels":map[string]interface {}{"a":1}}: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string`,
        ),
      )
      expect((await within({ apiVersion: 1, kind: 'Pod' })).body['message']).toBe(
        `${rejected}.apiVersion: Invalid value: 1: must be a string`,
      )
      const good = await within({ ...typed, metadata: { name: 'x', bogus: 1 }, spec: { x: 1 } })
      expect(good.body.spec['within']).toEqual({
        ...typed,
        metadata: { name: 'x' },
        spec: { x: 1 },
      })
      expect(warningsOf(good)).toEqual(['unknown field "spec.within.metadata.bogus"'])
    }),
  )

  it(
    'x-kubernetes-int-or-string',
    on(async (stage) => {
      const either = { 'x-kubernetes-int-or-string': true }
      const { post } = await serveThings(stage, {
        either,
        share: { ...either, pattern: '^\\d+%$' },
      })
      expect((await post('a', { either: 5 })).body.spec).toEqual({ either: 5 })
      expect((await post('b', { either: '5%' })).body.spec).toEqual({ either: '5%' })
      expect((await post('c', { either: null })).body.spec).toEqual({})
      expect((await post('d', { share: 7 })).code).toBe(201)
      expect(causesOf(await post('e', { either: 1.5 }))).toEqual([
        'spec.either: Invalid value: "number": spec.either in body must be of type integer,string: "number"',
      ])
      expect(causesOf(await post('e', { share: 'x' }))).toEqual([
        'spec.share: Invalid value: "x": spec.share in body should match \'^\\d+%$\'',
      ])
    }),
  )

  it(
    'null is a value only if nullable; otherwise the default applies',
    on(async (stage) => {
      const { post } = await serveThings(stage, {
        nothing: { ...text, nullable: true },
        maybe: { ...text, nullable: true, default: 'd' },
        always: { ...text, default: 'd' },
        plain: text,
        inner: {
          type: 'object',
          default: {},
          properties: { x: { ...whole, default: 5 }, y: text },
        },
        list: {
          type: 'array',
          items: { type: 'object', properties: { x: { ...whole, default: 5 } } },
        },
      })
      const defaults = { maybe: 'd', always: 'd', inner: { x: 5 } }
      expect((await post('a', {})).body.spec).toEqual(defaults)
      const nulls = { nothing: null, maybe: null, always: null, plain: null, inner: null }
      expect((await post('b', nulls)).body.spec).toEqual({
        ...defaults,
        nothing: null,
        maybe: null,
      })
      const more = { inner: { y: 'a' }, list: [{}, { x: null }, { x: 1 }] }
      expect((await post('c', more)).body.spec).toEqual({
        ...defaults,
        inner: { x: 5, y: 'a' },
        list: [{ x: 5 }, { x: 5 }, { x: 1 }],
      })
      expect(causesOf(await post('d', { list: [null] }))).toEqual([
        'spec.list[0]: Invalid value: "null": spec.list[0] in body must be of type object: "null"',
      ])
    }),
  )

  it(
    'rules can use oldSelf',
    on(async (stage) => {
      const { api } = stage
      const rules = (...list: object[]): object => ({ 'x-kubernetes-validations': list })
      const short = { ...text, maxLength: 20 }
      const { path, post } = await serveThings(stage, {
        fixed: { ...short, ...rules({ rule: 'self == oldSelf', message: 'is immutable' }) },
        grows: {
          ...whole,
          ...rules({
            rule: 'self >= oldSelf',
            messageExpression: "'cannot shrink from %d'.format([oldSelf])",
            reason: 'FieldValueForbidden',
          }),
        },
        once: {
          ...short,
          ...rules({
            rule: '!oldSelf.hasValue() || oldSelf.value() == self',
            optionalOldSelf: true,
            message: 'is set once',
          }),
        },
      })
      expect((await post('t', { fixed: 'a', grows: 5 })).code).toBe(201)
      const changed = async (spec: object): Promise<string[] | number> => {
        const answer = await api.patch(`${path}/t`, 'merge', { spec })
        return answer.code === 422 ? causesOf(answer) : answer.code
      }
      const fixed = 'spec.fixed: Invalid value: "string": is immutable'
      expect(await changed({ fixed: 'b' })).toEqual([fixed])
      expect(await changed({ grows: 4 })).toEqual(['spec.grows: Forbidden: cannot shrink from 5'])
      expect(await changed({ fixed: 'b', grows: 4 })).toEqual([
        fixed,
        'spec.grows: Forbidden: cannot shrink from 5',
      ])
      expect(await changed({ grows: 6, once: 'a' })).toBe(200)
      expect(await changed({ once: 'b' })).toEqual([
        'spec.once: Invalid value: "string": is set once',
      ])
      expect(await changed({ fixed: null })).toBe(200)
      expect(await changed({ fixed: 'c' })).toBe(200)
    }),
  )

  it(
    'ratcheting tolerates unchanged invalid values, and only those',
    on(async (stage) => {
      const { api } = stage
      const named = (v: object): object => ({
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
        items: { type: 'object', required: ['name'], properties: { name: text, v } },
      })
      const list = (item: object): object => ({ type: 'array', items: item })
      const loose = { name: text, size: whole, free: whole, parts: named(whole), words: list(text) }
      const { path, definition, post } = await serveThings(stage, loose)
      await post('t', {
        name: 'long name',
        size: 100,
        parts: [{ name: 'a', v: 100 }, { name: 'b' }],
        words: ['bad', 'x'],
      })
      const small = { ...whole, maximum: 10 }
      const tight = {
        name: { ...text, maxLength: 3 },
        size: small,
        free: whole,
        parts: named(small),
        words: list({ ...text, enum: ['x', 'y'] }),
        now: { ...text, default: 'tight' },
      }
      await api.patch(definition, 'merge', { spec: { versions: [thingVersion(tight)] } })
      await until('the new schema is at work', async () => {
        const { body } = await api.get(`${path}/t`)
        return body.spec?.['now'] === 'tight'
      })
      const changed = async (spec: object): Promise<string[] | number> => {
        const answer = await api.patch(`${path}/t`, 'merge', { spec })
        return answer.code === 422 ? causesOf(answer) : answer.code
      }
      expect(await changed({ free: 1 })).toBe(200)
      expect(await changed({ name: 'other name' })).toEqual([
        'spec.name: Too long: may not be more than 3 bytes',
      ])
      expect(await changed({ size: 99 })).toEqual([
        'spec.size: Invalid value: 99: spec.size in body should be less than or equal to 10',
      ])
      const [a, b] = [
        { name: 'a', v: 100 },
        { name: 'b', v: 2 },
      ]
      expect(await changed({ parts: [b, a] })).toBe(200)
      expect(await changed({ parts: [b, a, { name: 'c', v: 11 }] })).toEqual([
        'spec.parts[2].v: Invalid value: 11: spec.parts[2].v in body should be less than or equal to 10',
      ])
      expect(await changed({ words: ['bad', 'x', 'y'] })).toEqual([
        'spec.words[0]: Unsupported value: "bad": supported values: "x", "y"',
      ])
      expect(await changed({ size: 5 })).toBe(200)
    }),
  )

  it(
    'stored objects are read with the current schema',
    on(async (stage) => {
      const { api } = stage
      const { path, definition, post } = await serveThings(stage, { old: text, stays: text })
      const made = await post('t', { old: 'x', stays: 'y' })
      const now = { stays: text, fresh: { ...whole, default: 7 } }
      await api.patch(definition, 'merge', { spec: { versions: [thingVersion(now)] } })
      const seen = { stays: 'y', fresh: 7 }
      await until('it has the new default', async () => {
        const { body } = await api.get(`${path}/t`)
        return body.spec?.['fresh'] === 7
      })
      const got = await api.get(`${path}/t`)
      expect(got.body.spec).toEqual(seen)
      expect(got.body.metadata.resourceVersion).toBe(made.body.metadata.resourceVersion)
      expect((await api.get(path)).body.items[0]?.spec).toEqual(seen)
      const watch = await api.watch(`${path}?watch=1&resourceVersion=0`)
      const [added] = await watch.take(1)
      watch.close()
      expect(added?.object.spec).toEqual(seen)
      const same = await api.patch(`${path}/t`, 'merge', {})
      expect(same.body.spec).toEqual(seen)
      expect(same.body.metadata.generation).toBe(1)
      expect(same.body.metadata.resourceVersion).not.toBe(made.body.metadata.resourceVersion)
      const again = await api.patch(`${path}/t`, 'merge', {})
      expect(again.body.metadata.resourceVersion).toBe(same.body.metadata.resourceVersion)
    }),
  )

  it(
    'a version serves only fields of the storage version',
    on(async (stage) => {
      const { api, unique, namespace } = stage
      const group = `${unique}.example.org`
      const first = { both: text, first: { ...text, default: 'one' } }
      const second = { both: text, second: { ...text, default: 'two' } }
      const { path, definition, post, thing } = await serveThings(stage, first)
      const v2 = thingVersion(second, { name: 'v2', storage: false, deprecated: true })
      const versions = [thingVersion(first), v2]
      await api.patch(definition, 'merge', { spec: { versions } })
      const other = `/apis/${group}/v2/namespaces/${namespace}/things`
      await until('v2 is served', async () => (await api.get(other)).code === 200)
      await post('a', { both: 'x' })
      const shown = await api.get(`${other}/a`)
      expect(shown.body).toMatchObject({ apiVersion: `${group}/v2`, spec: { both: 'x' } })
      expect(shown.body.spec).toEqual({ both: 'x' })
      expect(warningsOf(shown)).toEqual([`${group}/v2 Thing is deprecated`])
      const sent = { apiVersion: `${group}/v2`, kind: 'Thing', metadata: { name: 'b' } }
      const made = await api.post(other, { ...sent, spec: { both: 'y', second: 'z' } })
      expect(made.body.spec).toEqual({ both: 'y' })
      expect((await api.get(`${path}/b`)).body).toMatchObject({ apiVersion: `${group}/v1` })
      expect((await api.get(`${path}/b`)).body.spec).toEqual({ both: 'y', first: 'one' })
      expect((await api.post(other, thing('c', {}))).body['message']).toBe(
        `the API version in the data (${group}/v1) does not match the expected API version (${group}/v2)`,
      )
    }),
  )

  it(
    'status and scale are subresources',
    on(async (stage) => {
      const { api, unique } = stage
      const scale = {
        specReplicasPath: '.spec.replicas',
        statusReplicasPath: '.status.replicas',
        labelSelectorPath: '.status.selector',
      }
      const { path, post } = await serveThings(
        stage,
        { replicas: whole, note: text },
        { subresources: { status: {}, scale } },
      )
      const made = await post('t', { note: 'a', replicas: 2 }, { status: { observed: 5 } })
      expect(made.body).not.toHaveProperty('status')
      const status = await api.patch(`${path}/t/status`, 'merge', {
        spec: { note: 'b' },
        status: { replicas: 3, selector: 'a=b', bogus: 1 },
      })
      expect(status.body).toMatchObject({ spec: { note: 'a' }, metadata: { generation: 1 } })
      expect(status.body.status).toEqual({ replicas: 3, selector: 'a=b' })
      const main = await api.patch(`${path}/t`, 'merge', { status: { replicas: 9 } })
      expect(main.body.status).toEqual({ replicas: 3, selector: 'a=b' })
      expect(
        causesOf(await api.patch(`${path}/t/status`, 'merge', { status: { observed: 'x' } })),
      ).toEqual([
        'status.observed: Invalid value: "string": observed in body must be of type integer: "string"',
      ])
      expect((await api.get(`${path}/t/scale`)).body).toMatchObject({
        kind: 'Scale',
        apiVersion: 'autoscaling/v1',
        spec: { replicas: 2 },
        status: { replicas: 3, selector: 'a=b' },
      })
      const scaled = await api.patch(`${path}/t/scale`, 'merge', { spec: { replicas: 7 } })
      expect(scaled.body.spec).toEqual({ replicas: 7 })
      expect((await api.get(`${path}/t`)).body).toMatchObject({ spec: { replicas: 7, note: 'a' } })
      const less = await api.patch(`${path}/t/scale`, 'merge', { spec: { replicas: -1 } })
      expect(less.body['message']).toBe(
        `Thing.${unique}.example.org "t" is invalid: .spec.replicas: Invalid value: -1: should be a non-negative integer`,
      )
      const none = await api.patch(`${path}/t/scale`, 'merge', { spec: { replicas: 0 } })
      expect(none.body.spec).toEqual({})
      await post('unscaled', {})
      const message = 'the spec replicas field ".spec.replicas" does not exist'
      expect((await api.get(`${path}/unscaled/scale`)).body).toEqual(
        failure(500, 'InternalError', `Internal error occurred: ${message}`, {
          causes: [{ message }],
        }),
      )
    }),
  )

  it(
    'columns of every type',
    on(async (stage) => {
      const columns = [
        ['string', '.spec.text', 's'],
        ['string', '.spec.whole', '5'],
        ['string', '.spec.yes', 'true'],
        ['string', '.spec.list', '[{"a":"x"},{"a":"y"}]'],
        ['string', '.spec.list[*].a', 'x'],
        ['string', '.spec.list[1].a', 'y'],
        ['string', '.spec.list[?(@.a=="y")].a', 'y'],
        ['string', '.spec.map', '{"a.b":"c"}'],
        ['string', '.spec.map.a\\.b', 'c'],
        ['string', '.spec.none', null],
        ['integer', '.spec.whole', 5],
        ['integer', '.spec.part', 1],
        ['integer', '.spec.text', null],
        ['number', '.spec.part', 1.5],
        ['number', '.spec.whole', 5],
        ['boolean', '.spec.yes', true],
        ['boolean', '.spec.text', null],
        ['date', '.spec.text', '<invalid>'],
      ] as const
      const additionalPrinterColumns = columns.map(([type, jsonPath], i) => {
        return { name: `C${i}`, type, jsonPath }
      })
      const { path, post } = await serveThings(
        stage,
        {
          text,
          whole,
          part: { type: 'number' },
          yes: { type: 'boolean' },
          list: { type: 'array', items: { type: 'object', properties: { a: text } } },
          map: { type: 'object', additionalProperties: text },
        },
        { additionalPrinterColumns },
      )
      const list = [{ a: 'x' }, { a: 'y' }]
      await post('t', { text: 's', whole: 5, part: 1.5, yes: true, list, map: { 'a.b': 'c' } })
      const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io'
      const { body } = await stage.api.get(`${path}/t`, { accept })
      const [row] = body['rows'] as { cells: unknown[] }[]
      const seen = columns.map(([type, jsonPath], i) => [type, jsonPath, row?.cells[i + 1]])
      expect(seen).toEqual(columns)
    }),
  )

  it(
    'a patch cannot change the kind',
    on(async (stage) => {
      const { api, unique } = stage
      const { path, post, apiVersion } = await serveThings(stage, { a: text })
      await post('t', {})
      const reported = async (patch: object): Promise<unknown> =>
        (await api.patch(`${path}/t`, 'merge', patch)).body['message']
      expect(await reported({ kind: 'Other' })).toBe(
        `Other.${unique}.example.org "t" is invalid: kind: Invalid value: "Other": must be Thing`,
      )
      expect(await reported({ apiVersion: 'v9' })).toBe(
        `Thing "t" is invalid: apiVersion: Invalid value: "v9": must be ${apiVersion}`,
      )
      expect(await reported({ metadata: null })).toBe(
        'the name of the object (t based on URL) was undeterminable: name must be provided',
      )
    }),
  )

  it(
    'a pathological pattern does not block the server',
    on(async (stage) => {
      const { post } = await serveThings(stage, { slow: { ...text, pattern: '^(a+)+$' } })
      expect((await post('a', { slow: 'a'.repeat(5000) })).code).toBe(201)
      expect(causesOf(await post('b', { slow: `${'a'.repeat(50)}!` }))).toEqual([
        `spec.slow: Invalid value: "${'a'.repeat(50)}!": spec.slow in body should match '^(a+)+$'`,
      ])
    }),
  )
})
