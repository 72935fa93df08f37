import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Verdict } from './corpus.ts'

const script = join(import.meta.dirname, '../../scripts/ignition-validate.sh')

/** The path of a real ignition-validate, or why there is none. */
export async function findIgnition(): Promise<{ program?: string; reason: string }> {
  try {
    const { stdout } = await promisify(execFile)(script)
    return { program: stdout.trim(), reason: '' }
  } catch (error) {
    const { code, stderr } = error as { code?: number; stderr?: string }
    if (code !== 3) throw error
    return { reason: stderr?.trim() ?? '' }
  }
}

export async function askIgnition(program: string, config: Uint8Array): Promise<Verdict> {
  const child = spawn(program, ['-'], { stdio: ['pipe', 'ignore', 'ignore'], timeout: 60_000 })
  // It may have made up its mind before it has read all.
  child.stdin.on('error', () => undefined)
  child.stdin.end(config)
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null]
  if (code !== 0 && code !== 1) throw new Error(`ignition-validate ended with ${code ?? signal}`)
  return code === 0 ? 'valid' : 'invalid'
}

/** Does something for every item, only a few of them at the same time. */
export async function forEach<T>(
  items: readonly T[],
  atOnce: number,
  act: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items.values()
  const work = async (): Promise<void> => {
    for (const item of queue) await act(item)
  }
  await Promise.all(Array.from({ length: atOnce }, work))
}
