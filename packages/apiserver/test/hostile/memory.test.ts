import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

/** `SOAK_REQUESTS=200000` for more requests. */
const requests = Number(process.env['SOAK_REQUESTS'] ?? 2600)

/** Allowed growth of the heap without a leak: filled caches, compiled code. */
const slackBytes = 3_000_000

describe(`${requests} rejected requests`, () => {
  it('leave nothing in memory', { timeout: 1_800_000 }, async () => {
    const program = fileURLToPath(new URL('soak.ts', import.meta.url))
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--expose-gc',
      program,
      String(requests),
    ])
    const { heaps, log } = JSON.parse(stdout) as { heaps: number[]; log: number }
    expect(log).toBe(0)
    expect(heaps).toHaveLength(10)
    const firstHalf = Math.max(...heaps.slice(1, 5))
    const secondHalf = Math.max(...heaps.slice(5))
    expect(secondHalf - firstHalf).toBeLessThan(slackBytes)
  })
})
