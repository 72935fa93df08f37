import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { run } from '../../program.ts'

const directory = mkdtempSync(join(tmpdir(), 'machinist-compare-test-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

async function ran(...args: string[]): Promise<{ code: number; out: string; error: string }> {
  let [out, error] = ['', '']
  const code = await run(['compare', ...args], {
    out: (text) => void (out += text),
    error: (text) => void (error += text),
    read: () => Promise.reject(new Error('nothing is read')),
    stopped: () => Promise.resolve(),
  })
  return { code, out, error }
}

describe('machinist compare', () => {
  it.each([
    [['--nodes', 'many'], '--nodes: "many" is not a number of nodes'],
    [['--nodes', '3'], '--nodes: at least two pools need nodes'],
    [['--nodes', '1,0'], '--nodes: at least two pools need nodes'],
    [['--speed', '0'], 'Expected a number from 0.1 to 1000.'],
    [['-o', 'yaml'], 'Allowed choices are json, text.'],
  ])('reports wrong use (%j) as one line with exit code 2', async (args, expected) => {
    const { code, out, error } = await ran(...args)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(error).toContain(expected)
    expect(error).toMatch(/^machinist: .*\(see machinist compare --help\)\n$/)
  })

  it('rejects a directory with an earlier comparison', async () => {
    mkdirSync(join(directory, 'direct'))
    expect(await ran('--data', directory)).toEqual({
      code: 1,
      out: '',
      error: `machinist: --data ${directory} contains an earlier comparison: use another directory or remove this one\n`,
    })
  })

  it('reports why a directory cannot be used', async () => {
    const file = join(directory, 'file')
    writeFileSync(file, '')
    const { code, error } = await ran('--data', file)
    expect(code).toBe(1)
    expect(error).toContain(`--data ${file} cannot be used: it is not a directory.`)
  })
})
