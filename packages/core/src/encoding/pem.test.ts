import { execFileSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { readPem, toPem } from './pem.ts'

const directory = mkdtempSync(join(tmpdir(), 'machinist-pem-'))
afterAll(() => rmSync(directory, { recursive: true }))

function certificate(name: string): string {
  const file = (suffix: string): string => join(directory, `${name}.${suffix}`)
  const options = [
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-days',
    '2',
  ]
  execFileSync(
    'openssl',
    ['req', ...options, '-subj', `/CN=${name}`, '-keyout', file('key'), '-out', file('crt')],
    { stdio: 'ignore' },
  )
  return readFileSync(file('crt'), 'utf8')
}

const one = certificate('one')
const two = certificate('two')
const namesOf = (text: string): string[] =>
  readPem(text).blocks.map(({ der }) => new X509Certificate(der).subject)

describe('readPem', () => {
  it('parses the output of OpenSSL', () => {
    expect(namesOf(one + two)).toEqual(['CN=one', 'CN=two'])
    expect(readPem(readFileSync(join(directory, 'one.key'), 'utf8')).blocks[0]!.label).toBe(
      'PRIVATE KEY',
    )
  })

  it('accepts text around blocks, CRLF and indentation', () => {
    const indented = two.replaceAll(/^/gm, '   ')
    expect(
      namesOf(`subject=CN = one\r\n${one.replaceAll('\n', '\r\n')}\n# the second\n${indented}`),
    ).toEqual(['CN=one', 'CN=two'])
  })

  it('reports the line of the BEGIN line', () => {
    expect(readPem(`# a comment\n\n${one}`).blocks[0]!.line).toBe(3)
  })

  it.each([
    ['a truncated block', one.split('\n').slice(0, 3).join('\n') + '\n', 'has no END line'],
    ['a body that is not base64', one.replace(/^M/m, '!'), 'is not base64'],
    ['a body of the wrong length', one.replace(/^M/m, ''), 'is not base64'],
    ['an empty body', '-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n', 'is empty'],
    [
      'an END of another kind',
      one.replace('END CERTIFICATE', 'END PUBLIC KEY'),
      'ends with another label',
    ],
  ])('skips %s and keeps the blocks after it', (_what, broken, message) => {
    const reading = readPem(broken + two)
    expect(reading.blocks.map(({ der }) => new X509Certificate(der).subject)).toEqual(['CN=two'])
    expect(reading.problems).toMatchObject([
      { line: 1, label: 'CERTIFICATE', message: `PEM block "CERTIFICATE" ${message}` },
    ])
    expect(reading.problems[0]!.cutOff).toBe(message === 'has no END line')
  })

  it.each([
    ['without its BEGIN line', one.split('\n').slice(1).join('\n')],
    ['with a misspelled BEGIN line', one.replace('-----BEGIN', '----BEGIN')],
    ['of which only the end remains', one.split('\n').slice(-2).join('\n')],
  ])('reports a block %s', (_what, rest) => {
    const reading = readPem(`${rest}${two}`)
    expect(reading.blocks.map(({ der }) => new X509Certificate(der).subject)).toEqual(['CN=two'])
    const line = rest.split('\n').length - 1
    const message = 'PEM block "CERTIFICATE" has no BEGIN line'
    expect(reading.problems).toEqual([{ line, label: 'CERTIFICATE', cutOff: false, message }])
  })

  it('parses an encrypted key in the legacy format', () => {
    const key = join(directory, 'old.key')
    execFileSync(
      'openssl',
      ['genrsa', '-traditional', '-aes128', '-passout', 'pass:secret', '-out', key, '1024'],
      { stdio: 'ignore' },
    )
    const reading = readPem(readFileSync(key, 'utf8'))
    expect(reading.problems).toEqual([])
    expect(reading.blocks.map(({ label }) => label)).toEqual(['RSA PRIVATE KEY'])
  })

  it('parses the output of toPem, with any text between blocks', () => {
    const block = fc.record({
      label: fc.constantFrom('CERTIFICATE', 'X509 CRL'),
      der: fc.uint8Array({ minLength: 1 }),
    })
    fc.assert(
      fc.property(fc.array(block), fc.stringMatching(/^[a-z =\n]*$/), (blocks, between) => {
        const text = blocks.map(({ label, der }) => toPem(label, der)).join(`${between}\n`)
        const reading = readPem(text)
        expect(reading.problems).toEqual([])
        expect(reading.blocks.map(({ label, der }) => [label, [...der]])).toEqual(
          blocks.map(({ label, der }) => [label, [...der]]),
        )
      }),
    )
  })

  it('never throws, and returns or reports every BEGIN line', () => {
    const pieces = fc.constantFrom(
      '-----BEGIN A-----\n',
      '-----END A-----\n',
      '-----END B-----',
      '-----',
      'QUJD\n',
      '=',
      '\n',
      'K: v\n',
      '-----BEGIN A-----',
      '\0',
      'é',
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 40 }), (drawn) => {
        const text = drawn.join('')
        const { blocks, problems } = readPem(text)
        const begun = problems.filter(({ message }) => !message.endsWith('has no BEGIN line'))
        expect(blocks.length + begun.length).toBe(
          text.match(/^-----BEGIN A-----\s*$/gm)?.length ?? 0,
        )
      }),
      { numRuns: 2000 },
    )
  })

  it('takes linear time on hostile text', () => {
    const text = '-----BEGIN A-----\n'.repeat(100_000)
    expect(readPem(text).problems).toHaveLength(100_000)
    expect(readPem('-----BEGIN '.repeat(100_000)).blocks).toEqual([])
  })
})
