import { describe, expect, it } from 'vitest'
import { compareElements, itemElement, pathText, readElement } from './path-element.ts'

describe('a path element', () => {
  it('is canonical', () => {
    expect(readElement('k:{"protocol":"TCP", "containerPort":80}')).toBe(
      'k:{"containerPort":80,"protocol":"TCP"}',
    )
    expect(readElement('v: "x"')).toBe('v:"x"')
    expect(readElement('i:007')).toBe('i:7')
    expect(readElement('q:x')).toBeUndefined()
  })

  it('escapes HTML as Go does', () => {
    expect(itemElement({ list: 'set' }, '<a&b>')).toBe(String.raw`v:"\u003ca\u0026b\u003e"`)
  })

  it('uses the default of a missing key', () => {
    const ports = {
      list: 'map',
      keys: ['containerPort', 'protocol'],
      keyDefaults: { protocol: 'TCP' },
    } as const
    expect(itemElement(ports, { containerPort: 80 })).toBe(
      'k:{"containerPort":80,"protocol":"TCP"}',
    )
    expect(itemElement(ports, { protocol: 'UDP' })).toEqual({
      wrong:
        'associative list with keys has an element that omits key field "containerPort" (and doesn\'t have default value)',
    })
  })

  it.for([
    [null, "associative list without keys has an element that's an explicit null"],
    [{}, "associative list without keys has an element that's a map type"],
    [[], 'not supported: associative list with lists as elements'],
  ] as const)('does not exist for %j in a set', ([item, wrong]) => {
    expect(itemElement({ list: 'set' }, item)).toEqual({ wrong })
  })

  it('is printed for users', () => {
    expect(pathText(['f:spec', 'f:containers', 'k:{"name":"a"}', 'f:image'])).toBe(
      '.spec.containers[name="a"].image',
    )
    expect(pathText(['k:{"containerPort":80,"protocol":"TCP"}', 'v:"x"', 'i:3'])).toBe(
      '[containerPort=80,protocol="TCP"][="x"][3]',
    )
  })

  it('is ordered by type, then by value', () => {
    const steps = ['i:2', 'i:10', 'v:true', 'v:"a"', 'v:2', 'v:10', 'k:{"a":2}', 'k:{"a":1,"b":1}']
    expect([...steps, 'f:b', 'f:a', 'k:{"a":1}'].sort(compareElements)).toEqual([
      'f:a',
      'f:b',
      'k:{"a":1}',
      'k:{"a":1,"b":1}',
      'k:{"a":2}',
      'v:2',
      'v:10',
      'v:"a"',
      'v:true',
      'i:2',
      'i:10',
    ])
  })
})
