import { describe, expect, it } from 'vitest'
import { isPattern, overlaps } from './match-images.ts'

describe('a pattern', () => {
  it.each([
    '123456789.dkr.ecr.us-east-1.amazonaws.com',
    '*.azurecr.io',
    'gcr.io',
    '*.*.registry.io',
    'k8s.*',
    'example.*.com',
    'registry.io:8080/path',
    'localhost/a.b',
    'a'.repeat(512),
  ])('is valid: %s', (text) => {
    expect(isPattern(text)).toBe(true)
  })

  it.each([
    ['all images', '*'],
    ['nothing', ''],
    ['a wildcard within a label', 'f*oo.example.com'],
    ['a wildcard in a port', 'example.com:*'],
    ['a wildcard in a path', 'example.com/*'],
    ['no port', 'example.com:'],
    ['two ports', 'example.com:1:2'],
    ['capitals', 'Example.com'],
    ['a scheme', 'https://example.com'],
    ['an empty label', 'example..com'],
    ['a hyphen at an end', '-example.com'],
    ['a digest', 'example.com/a@sha256:0'],
    ['a line end', 'example.com\n'],
    ['too long', 'a'.repeat(513)],
  ])('is invalid: %s', (_, text) => {
    expect(isPattern(text)).toBe(false)
  })
})

describe('two patterns', () => {
  it.each([
    ['*.cloud.google.com', 'container.cloud.google.com'],
    ['123456789.dkr.ecr.us-east-1.amazonaws.com', '*.dkr.ecr.*.amazonaws.com'],
    ['*.io', 'gcr.io'],
    ['gcr.io/team', 'gcr.io'],
    ['gcr.io/te', 'gcr.io/team'],
    ['quay.io', 'qu*y.io'],
    ['quay.io', '[pq]uay.io'],
  ])('%s and %s overlap', (one, other) => {
    expect(overlaps(one, other)).toBe(true)
    expect(overlaps(other, one)).toBe(true)
  })

  it.each([
    ['a.b.gcr.io', '*.gcr.io'],
    ['*.io', '*.k8s.io'],
    ['gcr.io:5000', 'gcr.io'],
    ['gcr.io/a', 'gcr.io/b'],
    ['pkg.dev', '*.pkg.dev'],
  ])('%s and %s do not overlap', (one, other) => {
    expect(overlaps(one, other)).toBe(false)
    expect(overlaps(other, one)).toBe(false)
  })

  it('overlap if and only if an image matches both', () => {
    const named = (labels: string[], paths: string[]): string[] => {
      const hosts = [...labels, ...labels.flatMap((a) => labels.map((b) => `${a}.${b}`))]
      return hosts.flatMap((host) =>
        ['', ':1'].flatMap((port) => paths.map((path) => host + port + path)),
      )
    }
    const images = named(['a', 'b', 'c'], ['', '/x', '/xy', '/x/y', '/z'])
    const patterns = named(['a', 'b', '*'], ['', '/x', '/xy', '/x/y'])
    const matched = patterns.map((pattern) => {
      const [, registry, path] = /^([^/]*)(.*)$/.exec(pattern)!
      const rule = new RegExp(`^${registry!.replace('.', '\\.').replaceAll('*', '[^.:/]+')}(/.*)?$`)
      return new Set(
        images.filter((image) => rule.test(image) && image.replace(/^[^/]*/, '').startsWith(path!)),
      )
    })
    const wrong = patterns.flatMap((one, a) =>
      patterns.filter((other, b) => {
        return overlaps(one, other) === matched[a]!.isDisjointFrom(matched[b]!)
      }),
    )
    expect(wrong).toEqual([])
  })
})
