import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { run } from '../program.ts'

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
    [['--nodes', 'many'], '--nodes: "many" makes no sense'],
    [['--nodes', '3'], '--nodes: one pool is paused and another is not'],
    [['--nodes', '1,0'], '--nodes: one pool is paused and another is not'],
    [['--speed', '0'], 'Say a number from 0.1 to 1000.'],
    [['-o', 'yaml'], 'Allowed choices are json, text.'],
  ])('answers wrong use (%j) with one line and exit code 2', async (args, expected) => {
    const { code, out, error } = await ran(...args)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(error).toContain(expected)
    expect(error).toMatch(/^machinist: .*\(see machinist compare --help\)\n$/)
  })

  it('does not go on where a comparison was before', async () => {
    mkdirSync(join(directory, 'direct'))
    expect(await ran('--data', directory)).toEqual({
      code: 1,
      out: '',
      error: `machinist: --data ${directory} holds an earlier comparison: name another directory, or remove that one\n`,
    })
  })

  it('says why a directory cannot be used', async () => {
    const file = join(directory, 'file')
    writeFileSync(file, '')
    const { code, error } = await ran('--data', file)
    expect(code).toBe(1)
    expect(error).toContain(`--data ${file} cannot be used: it is no directory.`)
  })
})
