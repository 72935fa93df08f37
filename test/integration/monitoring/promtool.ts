import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const script = join(import.meta.dirname, '../../../scripts/debian-program.sh')
const execute = promisify(execFile)

/** The path of the program, or the reason why it is not available. */
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

/** The output of promtool, and whether it succeeded. */
export async function promtool(
  program: string,
  ...args: readonly string[]
): Promise<{ ok: boolean; output: string }> {
  try {
    // A short-lived process: trade memory for time.
    const env = { ...process.env, GOGC: '400' }
    const { stdout, stderr } = await execute(program, args, { env })
    return { ok: true, output: stdout + stderr }
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    return { ok: false, output: stdout + stderr }
  }
}
