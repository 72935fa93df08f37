import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Verdict } from '../../ignition/test/corpus.ts'

const script = join(import.meta.dirname, '../../../scripts/ignition-validate.sh')

/** The path of ignition-validate, or the reason why it is not installed. */
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

export async function validateWithIgnition(program: string, config: Uint8Array): Promise<Verdict> {
  const child = spawn(program, ['-'], { stdio: ['pipe', 'ignore', 'ignore'], timeout: 60_000 })
  // The program may exit before it has read the whole input.
  child.stdin.on('error', () => undefined)
  child.stdin.end(config)
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null]
  return verdictOf(code ?? signal)
}

/** The paths that ignition-validate warns about: `$.storage.files.0.mode`. */
export async function warningPaths(program: string, config: string): Promise<string[]> {
  const child = spawn(program, ['-'], { stdio: ['pipe', 'pipe', 'ignore'], timeout: 60_000 })
  const closed = once(child, 'close')
  child.stdin.end(config)
  const text = Buffer.concat(await child.stdout.toArray()).toString('utf8')
  await closed
  return Array.from(text.matchAll(/^warning at (\$[^,\n]*), /gm), ([, path]) => path!)
}

/** Validates many configs. A shell starts the processes in half the time that Node needs. */
export async function validateAllWithIgnition(
  program: string,
  configs: readonly Uint8Array[],
): Promise<Verdict[]> {
  const directory = await mkdtemp(join(tmpdir(), 'machinist-configs-'))
  try {
    const paths = configs.map((_, index) => join(directory, String(index)))
    for (const [index, path] of paths.entries()) await writeFile(path, configs[index]!)
    const loop = 'for config; do "$0" - <"$config" >/dev/null 2>&1; echo $?; done'
    // The processes are so short-lived that garbage collection is useless.
    const env = { ...process.env, GOMAXPROCS: '1', GOGC: 'off' }
    const { stdout } = await promisify(execFile)('sh', ['-c', loop, program, ...paths], { env })
    return stdout.trimEnd().split('\n').map(Number).map(verdictOf)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

function verdictOf(end: number | string | null): Verdict {
  if (end !== 0 && end !== 1) throw new Error(`ignition-validate ended with ${end}`)
  return end === 0 ? 'valid' : 'invalid'
}

/** Calls `act` for every item, with limited concurrency. */
export async function forEachConcurrently<T>(
  items: readonly T[],
  concurrency: number,
  act: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items.values()
  const work = async (): Promise<void> => {
    for (const item of queue) await act(item)
  }
  await Promise.all(Array.from({ length: concurrency }, work))
}
