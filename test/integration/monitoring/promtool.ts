import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const script = join(import.meta.dirname, '../../../scripts/debian-program.sh')
const execute = promisify(execFile)

/** The path of a real one, or why there is none. */
export async function findProgram(
  name: 'promtool' | 'prometheus',
): Promise<{ program?: string; reason: string }> {
  try {
    const { stdout } = await execute(script, ['prometheus', name])
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
    // It does not live for long: more memory, less time.
    const env = { ...process.env, GOGC: '400' }
    const { stdout, stderr } = await execute(program, args, { env })
    return { ok: true, said: stdout + stderr }
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    return { ok: false, said: stdout + stderr }
  }
}
