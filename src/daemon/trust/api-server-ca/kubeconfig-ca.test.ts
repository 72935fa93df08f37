import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { thrownBy } from '@machinist/testing/thrown-by'
import { InvalidInput, messageOf } from '@machinist/core/errors'
import { parseYaml, toYaml } from '@machinist/core/encoding/yaml'
import { caIn, withCA } from './kubeconfig-ca.ts'

const path = '/etc/kubernetes/kubeconfig'
const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** A kubeconfig as the config server of a cluster writes it, with typical manual changes. */
const bootstrap = `# written at first boot
apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: b2xkIENB   # the CA
    server: https://api-int.example.com:6443
  name: local
contexts:
- context:
    cluster: local
    user: kubelet
  name: kubelet
current-context: kubelet
kind: Config
preferences: {}
users:
- name: kubelet
  user:
    token: "secret-canary: \\"certificate-authority-data: b2xkIENB\\""
`

describe('the CA of a kubeconfig', () => {
  it('is that of its first cluster', () => {
    expect(caIn(bootstrap, path)).toEqual({ type: 'inline', pem: 'old CA' })
  })

  it('is replaced, and nothing else', () => {
    expect(withCA(bootstrap, path, 'new CA')).toBe(bootstrap.replace('b2xkIENB ', 'bmV3IENB '))
  })

  it('is replaced in every cluster with the same CA, and in no other', () => {
    const entry = (name: string, data: string): string =>
      `  - name: ${name}\n    cluster: {}\n`.replace(
        '{}\n',
        `\n      server: https://${name}\n      certificate-authority-data: ${data}\n`,
      )
    const three = (data: string): string =>
      `clusters:\n${entry('a', data)}${entry('b', 'b3RoZXI=')}${entry('c', data)}kind: Config\n`
    expect(withCA(three('b2xkIENB'), path, 'new CA')).toBe(three('bmV3IENB'))
  })

  it.each([
    ['quotes', `clusters:\n- cluster:\n    certificate-authority-data: "b2xkIENB"\n`],
    ['other quotes', `clusters:\n- cluster:\n    'certificate-authority-data': 'b2xkIENB'\n`],
    ['CRLF', `clusters:\r\n- cluster:\r\n    certificate-authority-data: b2xkIENB\r\n`],
    ['no last line end', `clusters:\n- cluster:\n    certificate-authority-data: b2xkIENB`],
    ['a document marker', `---\nclusters:\n- cluster:\n    certificate-authority-data: b2xkIENB\n`],
    ['JSON', `{"clusters":[{"cluster":{"certificate-authority-data":"b2xkIENB"}}]}`],
    [
      'both a CA and a file with one, of which the CA counts',
      `clusters:\n- cluster:\n    certificate-authority: /ca\n    certificate-authority-data: b2xkIENB\n`,
    ],
  ])('is found with %s', (_what, text) => {
    expect(caIn(text, path)).toEqual({ type: 'inline', pem: 'old CA' })
    expect(withCA(text, path, 'new CA')).toBe(text.replace('b2xkIENB', 'bmV3IENB'))
  })

  it.each([
    ['refers to a CA file', `clusters:\n- cluster:\n    certificate-authority: /ca.crt\n`],
    ['refers to a CA file', `{"clusters":[{"cluster":{"certificate-authority":"/ca"}}]}`],
    ['contains no CAs', `clusters:\n- cluster:\n    insecure-skip-tls-verify: true\n  name: a\n`],
    ['contains no CAs', `clusters:\n- cluster:\n    certificate-authority-data: ""\n`],
    ['contains no CAs', `{"clusters":[{"cluster":{"certificate-authority-data":""}}]}`],
    ['contains no cluster', 'clusters: []\nkind: Config\n'],
    ['contains no cluster', 'kind: Config\n'],
    ['contains no cluster', ''],
    ['contains no cluster', '{}'],
  ])('is elsewhere if the file %s', (why, text) => {
    expect(caIn(text, path)).toEqual({ type: 'elsewhere', why })
  })
})

const canary = 'canary-cHJpdmF0ZQ'

describe('a kubeconfig that cannot be parsed', () => {
  it.each([
    ['cluster 1: "cluster" is not one "key: value" per line', `clusters:\n- cluster: {token: X}\n`],
    ['"clusters" is not a list, one entry per line', `clusters: [{cluster: {token: X}}]\n`],
    ['"clusters" occurs twice', `clusters: []\nclusters: []\n# X`],
    ['it is indented with tabs', `clusters:\n\t- cluster: X\n`],
    ['it is not valid JSON', `{"clusters": X`],
    ['"clusters" is not a list', `{"clusters": {"a": "X"}}`],
    ['"clusters" is not a list', `clusters:\n  a: X\n`],
    ['it is not a mapping of keys to values', `X X X`],
    [
      'cluster 1: "certificate-authority-data" is not base64 on one line',
      `clusters:\n- cluster:\n    certificate-authority-data: |\n      X\n`,
    ],
    [
      'cluster 1: "certificate-authority-data" is not base64 on one line',
      `clusters:\n- cluster:\n    certificate-authority-data: *X\n`,
    ],
    [
      'cluster 1: "certificate-authority-data" takes more than one line',
      `clusters:\n- cluster:\n    certificate-authority-data: YWJj\n      YWJj\n    token: X\n`,
    ],
    [
      '"certificate-authority-data" is not where it is expected',
      `{"clusters":[{"cluster":{"certificate-authority-data":"YWJj"},"certificate-authority-data":"YWJj"}],"t":"X"}`,
    ],
    [
      'an entry of "clusters" begins with an empty line',
      `clusters:\n-\n  cluster:\n    certificate-authority-data: YWJj\n# X\n`,
    ],
  ])('is refused: %s', (why, text) => {
    const thrown = thrownBy(() => caIn(text.replaceAll('X', canary), path))
    expect(thrown).toBeInstanceOf(InvalidInput)
    expect(messageOf(thrown)).toBe(
      `${path} cannot be read: ${why}. It must be JSON, or YAML with one "key: value" per line`,
    )
  })

  it('is refused if its CA is not base64', () => {
    const text = `clusters:\n- cluster:\n    certificate-authority-data: abc\n`
    expect(messageOf(thrownBy(() => caIn(text, path)))).toBe(
      `${path}: certificate-authority-data of its first cluster is not base64`,
    )
  })

  it('causes no other error, and is never quoted', () => {
    const lines = [
      'clusters:',
      'cluster:',
      'certificate-authority-data: ',
      'name: a',
      '"clusters":[',
    ]
    const signs = [
      '- ',
      '  ',
      '\n',
      '{',
      '}',
      ']',
      '"',
      "'",
      '#',
      ':',
      '\t',
      '\r\n',
      '---\n',
      '|',
      '&a ',
      '*a',
    ]
    const pieces = [...lines, ...signs, canary]
    const piece = fc.constantFrom(...pieces)
    const text = fc.oneof(
      fc.array(piece, { maxLength: 40 }).map((some) => some.join('')),
      fc.string({ maxLength: 200 }),
    )
    fc.assert(
      fc.property(text, (made) => {
        const thrown = thrownBy(() => caIn(made, path))
        if (thrown === undefined) return
        expect(thrown).toBeInstanceOf(InvalidInput)
        expect(messageOf(thrown)).not.toContain(canary)
      }),
      { numRuns: 500 },
    )
  })
})

describe('any kubeconfig', () => {
  const word = fc.string({ unit: 'grapheme-ascii', maxLength: 12 })
  const cluster = fc.record(
    {
      server: word,
      'certificate-authority-data': fc.constantFrom('b2xkIENB', 'b3RoZXI=', 'YWJj'),
      'tls-server-name': word,
      extensions: fc.array(fc.record({ name: word, extension: fc.jsonValue({ maxDepth: 1 }) }), {
        maxLength: 2,
      }),
    },
    { requiredKeys: ['server'] },
  )
  const config = fc.record({
    apiVersion: fc.constant('v1'),
    preferences: fc.constant({}),
    clusters: fc.array(fc.record({ name: word, cluster }), { minLength: 1, maxLength: 4 }),
    users: fc.array(fc.record({ name: word, user: fc.record({ token: word }) }), { maxLength: 2 }),
  })
  const written = fc.constantFrom<(value: unknown) => string>(
    toYaml,
    (value) => JSON.stringify(value),
    (value) => JSON.stringify(value, null, 2),
  )

  it('changes only in the CAs of the first cluster and equal ones', () => {
    fc.assert(
      fc.property(config, written, (made, write) => {
        const text = write(made)
        const old = made.clusters[0]!.cluster['certificate-authority-data']
        fc.pre(old !== undefined)
        const found = refusedOr(() => caIn(text, path))
        // Unusual names may be written in ways that are refused, but are never misread.
        if (found === undefined) return
        expect(found).toEqual({ type: 'inline', pem: Buffer.from(old, 'base64').toString() })
        const desired = structuredClone(made)
        for (const { cluster: each } of desired.clusters) {
          if (each['certificate-authority-data'] === old) {
            each['certificate-authority-data'] = base64('new CA') as 'YWJj'
          }
        }
        expect(parseYaml(withCA(text, path, 'new CA'), path)).toEqual(
          parseYaml(write(desired), path),
        )
      }),
      { numRuns: 100 },
    )
  })
})

function refusedOr<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof InvalidInput) return undefined
    throw error
  }
}
