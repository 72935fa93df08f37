import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const megabyte = 1 << 20

describe('an informer with random faults over a long time', { timeout: 120_000 }, () => {
  it('does not leak memory', () => {
    const program = fileURLToPath(new URL('./soak.ts', import.meta.url))
    const args = ['--expose-gc', program, '5', '2000', '100000']
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    expect(stderr).toBe('')
    const heaps = JSON.parse(stdout) as number[]
    expect(heaps).toHaveLength(10)
    // There are 90,000 events between the first and the last tenth: a leak of 100 bytes each is detected.
    expect(heaps.at(-1)! - heaps[1]!).toBeLessThan(8 * megabyte)
    expect(Math.max(...heaps)).toBeLessThan(60 * megabyte)
  })
})
