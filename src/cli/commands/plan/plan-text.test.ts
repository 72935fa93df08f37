import { stripVTControlCharacters } from 'node:util'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { arbitraryParts } from '../../../planner/model.fixture.ts'
import type { Parts } from '../../../planner/configs.fixture.ts'
import { defaultRules, facts, file, machineConfig, spec } from '../../../planner/configs.fixture.ts'
import { plan } from '../../../planner/plan.ts'
import { colorStyle, escapeControls, plainStyle, styleFor, wrapText } from '../../text/style.ts'
import { diffLines } from './diff-lines.ts'
import { planText } from './plan-text.ts'

function shown(before: Parts, after: Parts, style = plainStyle): string {
  const input = {
    current: machineConfig('old', spec(before)),
    desired: machineConfig('new', spec(after)),
    rules: defaultRules,
    facts,
  }
  return planText(plan(input), input, style)
}

describe('a plan as text', () => {
  it('shows changes and actions', () => {
    const before: Parts = {
      files: [file('/etc/chrony.conf', 'pool a\nmakestep 1 3\n'), file('/etc/secret', 'a', 0o600)],
    }
    const after: Parts = {
      files: [file('/etc/chrony.conf', 'pool b\nmakestep 1 3\n'), file('/etc/secret', 'b', 0o600)],
      units: [{ name: 'a.service', enabled: true, contents: '[Unit]\nDescription=a\n' }],
    }
    expect(shown(before, after)).toBe(`Plan f97ef3cb816f from old to new

Changes
  ~ /etc/chrony.conf changes: content from 20 bytes (sha256 7a3bdb04df79) to 20
    bytes (sha256 08c202eb969b); requires a reboot (no policy for
    /etc/chrony.conf).
      @@ -1,2 +1,2 @@
      -pool a
      +pool b
       makestep 1 3
  ~ /etc/secret changes: content from 1 byte (sha256 ca978112ca1b) to 1 byte
    (sha256 3e23e8160039); requires a reboot (no policy for /etc/secret).
      (secret: not shown)
  + unit a.service is created: 21 bytes (sha256 989dd3889615); is enabled;
    requires a reboot (no policy for unit a.service).
      @@ -1,0 +1,2 @@
      +[Unit]
      +Description=a

Actions
  1. Reboot: no policy for /etc/chrony.conf, no policy for /etc/secret and no
     policy for unit a.service (/etc/chrony.conf, /etc/secret, a.service)

Drain   yes: the node reboots
Reboot  yes

Steps
  1. drain
  2. write-file /etc/chrony.conf
  3. write-file /etc/secret
  4. write-unit a.service
  5. set-units enable a.service
  6. store-config
  7. reboot update to new: no policy for /etc/chrony.conf, no policy for
     /etc/secret and no policy for unit a.service

2 files change, 1 unit changes; the node is drained and reboots because there is
no policy for /etc/chrony.conf, no policy for /etc/secret and no policy for unit
a.service.
`)
  })

  it('ends with a summary', () => {
    const last = (before: Parts, after: Parts): string =>
      shown(before, after).trimEnd().split('\n\n').at(-1)!.replaceAll('\n', ' ')
    expect(last({}, {})).toBe('Nothing changes; the node is neither drained nor rebooted.')
    expect(last({}, { kernelArguments: ['x'] })).toBe(
      'Kernel arguments change; the node is drained and reboots because kernel arguments take effect at boot (add x).',
    )
    expect(last({}, { files: [file('/etc/containers/registries.conf', 'x')] })).toBe(
      '1 file changes; the node is drained because the change of /etc/containers/registries.conf is not safe: not valid TOML (line 1, column 1), but does not reboot, and the daemon will reload crio.service.',
    )
    expect(last({}, { files: [file('/etc/containers/policy.json', 'x')] })).toBe(
      '1 file changes; the node is neither drained nor rebooted, and the daemon will reload crio.service.',
    )
  })

  it.each([
    ['the pull secret', '/var/lib/kubelet/config.json', '{"x":"hush"}'],
    ['a kubeconfig', '/etc/kubernetes/kubeconfig', 'hush'],
    ['a key by its name', '/etc/pki/tls.key', 'hush'],
    ['a key by its content', '/etc/x', '-----BEGIN PRIVATE KEY-----\nhush\n'],
    ['registry credentials', '/etc/y', '{"auths":{"a":"hush"}}'],
  ])('never shows %s', (_, path, content) => {
    const text = shown({}, { files: [file(path, content)] })
    expect(text).toContain('(secret: not shown)')
    expect(text).not.toContain('hush')
    expect(shown({ files: [file(path, content)] }, {})).not.toContain('hush')
  })

  it('escapes control characters of files', () => {
    const text = shown({}, { files: [file('/etc/x', 'a\u001b[2Jb\u202ec\r\n')] })
    expect(text).toContain('+a\\u001b[2Jb\\u202ec\\u000d')
  })

  it('has the same text with colors', () => {
    fc.assert(
      fc.property(arbitraryParts, arbitraryParts, (before, after) => {
        const text = shown(before, after, colorStyle)
        const bare = stripVTControlCharacters(text)
        expect(bare).toBe(shown(before, after))
        expect(bare).not.toMatch(/[^\t\n\P{Cc}]/u)
        expect(text).toContain('\u001b[')
      }),
      { numRuns: 30 },
    )
  })

  it('fits 80 columns, apart from long words', () => {
    fc.assert(
      fc.property(arbitraryParts, arbitraryParts, (before, after) => {
        const long = shown(before, after)
          .split('\n')
          .filter((line) => line.length > 80 && line.trim().includes(' '))
        expect(long).toEqual([])
      }),
      { numRuns: 30 },
    )
  })
})

describe('a diff', () => {
  const lines = (before: string | Uint8Array, after: string | Uint8Array): string[] =>
    diffLines(Buffer.from(before), Buffer.from(after))

  it('has three lines of context', () => {
    const text = Array.from({ length: 20 }, (_, i) => `${i}\n`).join('')
    expect(lines(text, text.replace('\n10\n', '\nten\n'))).toEqual([
      '@@ -8,7 +8,7 @@',
      ' 7',
      ' 8',
      ' 9',
      '-10',
      '+ten',
      ' 11',
      ' 12',
      ' 13',
    ])
  })

  it('is truncated if it is long', () => {
    const text = (word: string): string => Array.from({ length: 100 }, () => `${word}\n`).join('')
    const cut = lines(text('a'), text('b'))
    expect(cut).toHaveLength(61)
    expect(cut.at(-1)).toBe('# 141 more lines')
  })

  it('of binary content is not shown', () => {
    expect(lines(Buffer.from([0xff, 0xfe]), 'a')).toEqual(['# not text'])
    expect(lines('a\u0000', 'a')).toEqual(['# not text'])
    expect(lines('a'.repeat(1024 * 1024 + 1), 'a')).toEqual(['# too large to show'])
  })

  it('of completely different content is not shown', () => {
    const text = (word: string): string =>
      Array.from({ length: 3000 }, (_, i) => `${word}${i}\n`).join('')
    expect(lines(text('a'), text('b'))).toEqual(['# too different to show'])
  })
})

describe('colors', () => {
  it('follow NO_COLOR and the terminal', () => {
    expect(styleFor({ isTTY: true }, {})).toBe(colorStyle)
    expect(styleFor({ isTTY: true }, { NO_COLOR: '1' })).toBe(plainStyle)
    expect(styleFor({ isTTY: true }, { TERM: 'dumb' })).toBe(plainStyle)
    expect(styleFor({}, {})).toBe(plainStyle)
  })
})

describe('wrapping', () => {
  it('keeps every word', () => {
    const word = fc.string({ minLength: 1, maxLength: 12 }).filter((text) => !text.includes(' '))
    fc.assert(
      fc.property(
        fc.array(word, { minLength: 1 }),
        fc.integer({ min: 1, max: 30 }),
        (words, width) => {
          const lines = wrapText(words.join(' '), width)
          expect(lines.join(' ')).toBe(words.join(' '))
          expect(lines.filter((line) => line.length > width && line.includes(' '))).toEqual([])
        },
      ),
      { numRuns: 200 },
    )
  })
})

describe('escaped text', () => {
  it('keeps printable characters', () => {
    expect(escapeControls('äöü 🦊\ttab')).toBe('äöü 🦊\ttab')
    expect(escapeControls('\u{e0001}\u2028')).toBe('\\u{e0001}\\u2028')
  })
})
