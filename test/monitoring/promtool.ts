import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const script = join(import.meta.dirname, '../../scripts/promtool.sh')
const execute = promisify(execFile)

/** The path of a real promtool, or why there is none. */
export async function findPromtool(): Promise<{ program?: string; reason: string }> {
  try {
    const { stdout } = await execute(script)
    return { program: stdout.trim(), reason: '' }
  } catch (error) {
    const { code, stderr } = error as { code?: number; stderr?: string }
    if (code !== 3) throw error
    return { reason: stderr?.trim() ?? '' }
  }
}

/** What it says, and whether it agrees. */
export async function promtool(
  program: string,
  ...args: readonly string[]
): Promise<{ ok: boolean; said: string }> {
  try {
    const { stdout, stderr } = await execute(program, args)
    return { ok: true, said: stdout + stderr }
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    return { ok: false, said: stdout + stderr }
  }
}
