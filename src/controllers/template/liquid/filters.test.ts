import { describe, expect, it } from 'vitest'
import { FilterProblem, filters, outputText } from './filters.ts'

describe('filters', () => {
  it.each([
    ['a\nb\n', 2, '  a\n  b\n'],
    ['a\n\nb', 1, ' a\n\n b'],
    ['', 4, ''],
  ])('indent %j by %i', (text, spaces, result) => {
    expect(filters.indent(text, spaces)).toBe(result)
  })

  it.each([
    ['https://api-int.one.example.com:6443', 'api-int.one.example.com', '6443'],
    ['https://10.0.0.1/x', '10.0.0.1', '443'],
    ['http://[fd00::1]', 'fd00::1', '80'],
  ])('take %s apart', (url, host, port) => {
    expect([filters.url_host(url), filters.url_port(url)]).toEqual([host, port])
  })

  it('quote for systemd, YAML and TOML', () => {
    expect(filters.env('http://u:p$`"\\@h')).toBe('"http://u:p\\$\\`\\"\\\\@h"')
    expect(filters.systemd('a b%c$d"e')).toBe('"a b%%c$$d\\"e"')
    expect(filters.quote('a"b\n\u007f')).toBe('"a\\"b\\n\\u007f"')
  })

  it('write a placeholder for the config server', () => {
    expect(filters.skip('index')).toBe('{{.index}}')
  })

  it.each([
    ['skip nothing', () => filters.skip('')],
    ['skip a name that begins with a digit', () => filters.skip('2two')],
    ['skip two words', () => filters.skip('test index')],
    ['the port of a scheme without a default', () => filters.url_port('ftp://secret')],
    ['the host of an invalid URL', () => filters.url_host('secret')],
    ['two lines of environment', () => filters.env('secret\nsecret')],
    ['two words of a command', () => filters.systemd('secret\nsecret')],
    ['indent by a text', () => filters.indent('a', 'secret')],
    ['indent by too much', () => filters.indent('a', 1e9)],
    ['quote an object', () => filters.quote({ secret: 1 })],
    ['write a list', () => outputText(['secret'])],
  ])('reject to %s without the value in the message', (_, act) => {
    expect(act).toThrow(FilterProblem)
    expect(act).not.toThrow(/secret/)
  })
})
