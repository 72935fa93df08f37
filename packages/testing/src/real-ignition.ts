import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Verdict } from '../../ignition/test/corpus.ts'

const script = join(import.meta.dirname, '../../../scripts/ignition-validate.sh')

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
  return verdictOf(code ?? signal)
}

/** The places that it warns about, as it writes them: `$.storage.files.0.mode`. */
export async function placesWarnedAbout(program: string, config: string): Promise<string[]> {
  const child = spawn(program, ['-'], { stdio: ['pipe', 'pipe', 'ignore'], timeout: 60_000 })
  const closed = once(child, 'close')
  child.stdin.end(config)
  const text = Buffer.concat(await child.stdout.toArray()).toString('utf8')
  await closed
  return Array.from(text.matchAll(/^warning at (\$[^,\n]*), /gm), ([, place]) => place!)
}

/** Of many configs: a shell starts a process for each in half the time that it takes from here. */
export async function askIgnitionAll(
  program: string,
  configs: readonly Uint8Array[],
): Promise<Verdict[]> {
  const directory = await mkdtemp(join(tmpdir(), 'machinist-configs-'))
  try {
    const paths = configs.map((_, index) => join(directory, String(index)))
    for (const [index, path] of paths.entries()) await writeFile(path, configs[index]!)
    const loop = 'for config; do "$0" - <"$config" >/dev/null 2>&1; echo $?; done'
    // Each lives for so short a time that to collect its garbage is in vain.
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
