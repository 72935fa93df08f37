import { describe, expect, it } from 'vitest'
import { InvalidInput } from '@machinist/core/errors'
import { run } from './program.ts'

const config = '{"ignition":{"version":"3.2.0"}}'
const newer = '{"ignition":{"version":"3.3.0"},"kernelArguments":{"shouldExist":["quiet"]}}'
const files: Record<string, string> = {
  'good.ign': config,
  'newer.ign': newer,
  'broken.ign': '{"ignition":{"version":"3.2.0"},"storage":{"files":[{"path":"etc/motd"}]}}',
  'butane.ign':
    '{"ignition":{"version":"3.2.0"},"storage":{"files":[{"path":"/a","contents":{"inline":"hello"}}]}}',
  'motd.ign':
    '{"ignition":{"version":"3.0.0"},"storage":{"files":[{"path":"/etc/motd","contents":{"source":"data:,hi"}}]}}',
  '-': config,
}

interface Ran {
  readonly code: number
  readonly out: string
  readonly error: string
}

async function ran(...args: string[]): Promise<Ran> {
  let out = ''
  let error = ''
  const code = await run(args, {
    out: (text) => void (out += text),
    error: (text) => void (error += text),
    read: (path) => {
      const text = files[path]
      if (text === undefined) throw new InvalidInput(`cannot read ${path}: no such file`)
      return Promise.resolve(Buffer.from(text))
    },
    stopped: () => Promise.resolve(),
  })
  return { code, out, error }
}

describe('the command line', () => {
  it.each([
    [],
    ['ignition'],
    ['ignition', 'merge'],
    ['nonsense'],
    ['crds', '--nonsense'],
    ['signer', '--approve-requests=maybe'],
  ])(
    'answers wrong use (%s %s) with exit code 2 and nothing on standard output',
    async (...args) => {
      const { code, out, error } = await ran(...args)
      expect({ code, out }).toEqual({ code: 2, out: '' })
      expect(error).not.toBe('')
    },
  )

  it('prints a usage error as one line that names the help', async () => {
    expect((await ran('nonsense')).error).toBe(
      "machinist: unknown command 'nonsense' (see machinist --help)\n",
    )
    expect((await ran('ignition', 'convert', 'good.ign')).error).toBe(
      "machinist: required option '--to <version>' not specified (see machinist ignition convert --help)\n",
    )
  })

  it.each([
    [['--help']],
    [['ignition', '--help']],
    [['ignition', 'merge', '-h']],
    [['crds', '-h']],
  ])('prints help for %s', async (args) => {
    const { code, out, error } = await ran(...args)
    expect({ code, error }).toEqual({ code: 0, error: '' })
    expect(out).toContain('Usage: machinist')
  })

  it('prints its version', async () => {
    expect(await ran('--version')).toEqual({ code: 0, out: '0.1.0\n', error: '' })
  })

  it('prints a failure as one line', async () => {
    expect(await ran('ignition', 'validate', 'missing.ign')).toEqual({
      code: 1,
      out: '',
      error: 'machinist: cannot read missing.ign: no such file\n',
    })
  })
})

describe('machinist crds', () => {
  it('prints all definitions', async () => {
    const { code, out } = await ran('crds')
    expect(code).toBe(0)
    expect(out.match(/^kind: CustomResourceDefinition$/gm)).toHaveLength(13)
  })
})

describe('machinist ignition', () => {
  it('validates files, or standard input', async () => {
    expect(await ran('ignition', 'validate', 'good.ign', '-')).toEqual({
      code: 0,
      out: 'good.ign: valid (Ignition 3.2.0)\nstandard input: valid (Ignition 3.2.0)\n',
      error: '',
    })
    expect((await ran('ignition', 'validate', '-', '-')).code).toBe(2)
  })

  it('fails for an invalid config, and still prints the report', async () => {
    const { code, out, error } = await ran('ignition', 'validate', '-o', 'json', 'broken.ign')
    expect(code).toBe(1)
    expect(JSON.parse(out)).toMatchObject({
      valid: false,
      configs: [{ entries: [{ level: 'error', path: '$.storage.files[0].path' }] }],
    })
    expect(error).toMatch(/^machinist: broken\.ign is not valid: error at \$\.storage.*\n$/)
  })

  it.each([
    ['3.3', '3.3.0'],
    ['3.3.0', '3.3.0'],
    ['2.2', '2.2.0'],
  ])('converts to %s', async (to, version) => {
    const { code, out } = await ran('ignition', 'convert', '--to', to, 'good.ign')
    expect(code).toBe(0)
    expect(JSON.parse(out)).toEqual({ ignition: { version } })
  })

  it.each([
    ['convert', '--to', '3.4', 'butane.ign'],
    ['merge', 'good.ign', 'butane.ign'],
  ])('warns about fields that Ignition ignores: %s', async (...args) => {
    const { code, error } = await ran('ignition', ...args)
    expect({ code, error }).toEqual({
      code: 0,
      error:
        'machinist: butane.ign: warning at $.storage.files[0].contents.inline (line 1, column 87): is ignored: the spec has no such key here; this is Butane syntax, not Ignition: convert the file with butane, or write "source": "data:," followed by the URL-encoded text\n',
    })
  })

  it('rejects a conversion that loses data', async () => {
    expect(await ran('ignition', 'convert', '--to', '3.1', 'newer.ign')).toEqual({
      code: 1,
      out: '',
      error:
        'machinist: newer.ign: cannot be converted to Ignition 3.1.0: $.kernelArguments needs version 3.3.0 or later\n',
    })
  })

  it('rejects an unknown version as a usage error', async () => {
    const { code, error } = await ran('ignition', 'convert', '--to', '4.0', 'good.ign')
    expect(code).toBe(2)
    expect(error).toContain('Expected one of 2.2, 3.0, 3.1, 3.2, 3.3, 3.4, 3.5.')
  })

  it('merges files; later ones win', async () => {
    const { code, out } = await ran('ignition', 'merge', 'newer.ign', 'motd.ign')
    expect(code).toBe(0)
    expect(JSON.parse(out)).toEqual({
      ignition: { version: '3.5.0' },
      kernelArguments: { shouldExist: ['quiet'] },
      storage: { files: [{ path: '/etc/motd', contents: { source: 'data:,hi' } }] },
    })
  })
})
