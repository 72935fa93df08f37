import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { thrownBy } from '@machinist/testing/thrown-by'
import { InvalidInput } from '@machinist/core/errors'
import type { Config, Resource } from './spec/config.ts'
import { contentFacts, preloadContentFacts, oversizedFiles } from './content-facts.ts'

const packed = (bytes: Uint8Array | string): Resource => ({
  source: `data:;base64,${gzipSync(bytes).toString('base64')}`,
  compression: 'gzip',
})
const mebibytes = (count: number, fill: number): Uint8Array =>
  Buffer.alloc(count * 1024 * 1024, fill)
const configWith = (...contents: Resource[]): Config => ({
  ignition: { version: '3.5.0' },
  storage: { files: contents.map((one, i) => ({ path: `/f${i}`, contents: one })) },
})
const abc = {
  inline: true,
  size: 3,
  sha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
}

describe('contentFacts', () => {
  it('returns size and digest of the decompressed content', () => {
    expect(contentFacts(packed('abc'))).toEqual(abc)
    expect(contentFacts({ source: 'data:,abc' })).toEqual(abc)
    expect(contentFacts({ source: 'https://host/x' })).toEqual({
      inline: false,
      url: 'https://host/x',
    })
  })

  it('reports a wrong verification hash', () => {
    const hash = `sha256-${abc.sha256}`
    expect(contentFacts({ ...packed('abc'), verification: { hash } })).toEqual(abc)
    expect(contentFacts({ ...packed('abd'), verification: { hash } })).toMatchObject({
      hashProblem: 'the content does not match its verification hash',
    })
  })

  it('decompresses a source once, even if it is rejected', () => {
    expect(contentFacts(packed('once'))).toBe(contentFacts(packed('once')))
    const bomb = packed(mebibytes(33, 0))
    const refusal = thrownBy(() => contentFacts(bomb))
    expect(refusal).toEqual(
      new InvalidInput('the content decompresses to more than 33554432 bytes'),
    )
    expect(thrownBy(() => contentFacts(bomb))).toBe(refusal)
  })

  it('uses preloaded facts', async () => {
    await preloadContentFacts(
      configWith(packed('learnt'), { source: 'data:;base64,AA', compression: 'gzip' }),
    )
    expect(contentFacts(packed('learnt'))).toMatchObject({ inline: true, size: 6 })
  })
})

describe('oversizedFiles', () => {
  it('accepts 64 MiB of decompressed content and rejects more', () => {
    const [a, b] = [packed(mebibytes(32, 1)), packed(mebibytes(32, 2))]
    expect(oversizedFiles(configWith(a, b, { source: 'data:,x' }))).toEqual([])
    expect(oversizedFiles(configWith(a, packed('x'), b, packed('y')))).toEqual([
      { path: '/f0', size: 33554432 },
      { path: '/f1', size: 1 },
      { path: '/f2', size: 33554432 },
    ])
  })
})
