import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { HostileServer } from './hostile-server.ts'

let server: HostileServer
const configMaps = '/api/v1/namespaces/default/configmaps'

beforeAll(async () => {
  server = await HostileServer.start()
  const body = '{"metadata":{"name":"target"},"data":{"a":"1"}}'
  await server.send({ method: 'POST', path: configMaps, body })
})

afterAll(() => server.stop())

/** A property that every object would have after a successful attack. */
const polluted = (): unknown => (({}) as Record<string, unknown>)['polluted']

const patchTypes = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
}

describe('keys of inherited properties', () => {
  it.each([
    ['json', '[{"op":"add","path":"/__proto__/polluted","value":"x"}]', 422],
    ['json', '[{"op":"add","path":"/constructor/prototype/polluted","value":"x"}]', 422],
    ['json', '[{"op":"copy","from":"/data","path":"/data/__proto__/polluted"}]', 422],
    ['json', '[{"op":"move","from":"/__proto__","path":"/data/a"}]', 422],
    ['merge', '{"__proto__":{"polluted":"x"}}', 200],
    ['merge', '{"constructor":{"prototype":{"polluted":"x"}}}', 200],
    ['merge', '{"metadata":{"__proto__":{"polluted":"x"}}}', 200],
    ['strategic', '{"__proto__":{"polluted":"x"}}', 200],
    ['strategic', '{"metadata":{"constructor":{"prototype":{"polluted":"x"}}}}', 200],
  ] as const)('%s patch %s', async (type, body, expected) => {
    const { code } = await server.send({
      method: 'PATCH',
      path: `${configMaps}/target`,
      headers: { 'content-type': patchTypes[type] },
      body,
    })
    expect(code).toBe(expected)
    expect(polluted()).toBeUndefined()
    const { text } = await server.send({ path: `${configMaps}/target` })
    expect(text).not.toContain('polluted')
  })

  it.each(['merge', 'strategic', 'apply'] as const)('are ordinary data: %s', async (type) => {
    const name = `data-${type}`
    const created = `{"metadata":{"name":"${name}"},"data":{"kept":"1"}}`
    await server.send({ method: 'POST', path: configMaps, body: created })
    const { code, text } = await server.send({
      method: 'PATCH',
      path: `${configMaps}/${name}?fieldManager=test&force=true`,
      headers: { 'content-type': patchTypes[type] },
      body: '{"apiVersion":"v1","kind":"ConfigMap","data":{"__proto__":"p","constructor":"c","toString":"t"}}',
    })
    expect(code).toBe(200)
    expect(dataOf(text)).toEqual([
      ['__proto__', 'p'],
      ['constructor', 'c'],
      ['kept', '1'],
      ['toString', 't'],
    ])
    const again = await server.send({ path: `${configMaps}/${name}` })
    expect(dataOf(again.text)).toEqual(dataOf(text))
  })

  it('are ordinary data: create, replace and JSON patch', async () => {
    const body = '{"metadata":{"name":"data-json"},"data":{"__proto__":"1"}}'
    const made = await server.send({ method: 'POST', path: configMaps, body })
    expect(dataOf(made.text)).toEqual([['__proto__', '1']])
    const put = await server.send({
      method: 'PUT',
      path: `${configMaps}/data-json`,
      body: body.replace('"1"', '"2"'),
    })
    expect(dataOf(put.text)).toEqual([['__proto__', '2']])
    const patched = await server.send({
      method: 'PATCH',
      path: `${configMaps}/data-json`,
      headers: { 'content-type': patchTypes.json },
      body: '[{"op":"replace","path":"/data/__proto__","value":"3"}]',
    })
    expect(dataOf(patched.text)).toEqual([['__proto__', '3']])
  })

  it('are not labels, and select nothing', async () => {
    const body = '{"metadata":{"name":"labelled","labels":{"__proto__":"x"}}}'
    const rejected = await server.send({ method: 'POST', path: configMaps, body })
    expect(rejected.code).toBe(422)
    expect(rejected.text).toContain('metadata.labels')
    const labelled = '{"metadata":{"name":"plain","labels":{"constructor":"x","toString":"y"}}}'
    const made = await server.send({ method: 'POST', path: configMaps, body: labelled })
    expect(made.code).toBe(201)
    for (const [selector, names] of [
      ['constructor', ['plain']],
      ['constructor=x', ['plain']],
      ['toString=y', ['plain']],
      ['valueOf', []],
      ['hasOwnProperty', []],
    ] as const) {
      const { text } = await server.send({ path: `${configMaps}?labelSelector=${selector}` })
      const { items } = JSON.parse(text) as { items: { metadata: { name: string } }[] }
      expect([selector, items.map(({ metadata }) => metadata.name)]).toEqual([selector, names])
    }
  })

  it('are not kinds, groups, names or subresources', async () => {
    for (const path of [
      '/apis/__proto__',
      '/apis/constructor/v1/toString',
      '/api/v1/__proto__',
      '/api/__proto__/configmaps',
      `${configMaps}/target/__proto__`,
      `${configMaps}/constructor`,
    ]) {
      const { code } = await server.send({ path })
      expect([path, code]).toEqual([path, 404])
    }
  })
})

function dataOf(text: string): [string, string][] {
  const { data } = JSON.parse(text) as { data: Record<string, string> }
  return Object.entries(data).toSorted(([a], [b]) => (a < b ? -1 : 1))
}
