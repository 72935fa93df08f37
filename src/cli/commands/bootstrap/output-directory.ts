import { mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { InvalidInput } from '@machinist/core/errors'
import { reasonOf } from '../../../process/terminal.ts'

export interface OutputDirectoryOptions {
  readonly directory: string
  /** Replace a directory that is not empty. */
  readonly force: boolean
}

/** Checks before any work that the output can be written, and that it is not part of the input. */
export async function checkOutputDirectory(
  { directory, force }: OutputDirectoryOptions,
  input: string,
): Promise<void> {
  const path = relative(resolve(input), resolve(directory))
  if (path === '' || !(path.startsWith('..') || path.startsWith('/'))) {
    throw new InvalidInput(
      `--out ${directory} is inside --in ${input}: the next run would read it; use another directory`,
    )
  }
  const entries = await entriesIn(directory)
  if (entries && entries.length > 0 && !force) {
    throw new InvalidInput(
      `--out ${directory} is not empty: use another directory, or --force to replace it`,
    )
  }
}

/**
 * Writes the files (path → text) to a new directory beside the output, then renames it. The output is complete or not there,
 * whenever the process is killed. Everything is readable by its owner only: configs contain secrets.
 */
export async function writeOutputDirectory(
  files: ReadonlyMap<string, string>,
  options: OutputDirectoryOptions,
): Promise<void> {
  const directory = resolve(options.directory)
  const parent = dirname(directory)
  try {
    await mkdir(parent, { recursive: true })
    await removeLeftovers(directory)
    const temporary = temporaryName(directory, 'new')
    await writeAll(files, temporary)
    await replace(directory, temporary, options)
    await syncFolder(parent)
  } catch (error) {
    await removeQuietly(temporaryName(directory, 'new'))
    if (error instanceof InvalidInput) throw error
    throw new InvalidInput(`--out ${options.directory} cannot be written: ${reasonOf(error)}`)
  }
}

/** The error that led here is the one to report. */
async function removeQuietly(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true })
  } catch {
    // The parent is not a directory, or not writable: nothing was created.
  }
}

async function writeAll(files: ReadonlyMap<string, string>, directory: string): Promise<void> {
  const folders = new Set([directory])
  await mkdir(directory, { mode: 0o700 })
  for (const [path, text] of files) {
    const target = join(directory, path)
    await mkdir(dirname(target), { recursive: true, mode: 0o700 })
    folders.add(dirname(target))
    await using file = await open(target, 'wx', 0o600)
    await file.writeFile(text)
    await file.sync()
  }
  for (const folder of folders) await syncFolder(folder)
}

/** A rename replaces an empty directory. One with content is moved away first, so that the output is missing for a moment. */
async function replace(
  directory: string,
  temporary: string,
  { force }: OutputDirectoryOptions,
): Promise<void> {
  const entries = await entriesIn(directory)
  if (!entries || entries.length === 0) return rename(temporary, directory)
  // Checked again: the controllers have worked for a while.
  if (!force) throw new InvalidInput(`--out ${directory} is not empty any more`)
  const old = temporaryName(directory, 'old')
  await rename(directory, old)
  await rename(temporary, directory)
  await rm(old, { recursive: true, force: true })
}

const temporaryName = (directory: string, what: 'new' | 'old'): string =>
  join(dirname(directory), `.${basename(directory)}.${what}-${process.pid}`)

/** Removes what killed processes left beside the output. */
async function removeLeftovers(directory: string): Promise<void> {
  const pattern = /^\.(.+)\.(?:new|old)-(\d+)$/
  for (const name of await readdir(dirname(directory))) {
    const [, base, pid] = pattern.exec(name) ?? []
    if (base !== basename(directory) || isRunning(Number(pid))) continue
    await rm(join(dirname(directory), name), { recursive: true, force: true })
  }
}

function isRunning(pid: number): boolean {
  // The process with this number is gone: this one has it now.
  if (pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Undefined if there is nothing. */
async function entriesIn(directory: string): Promise<string[] | undefined> {
  try {
    return await readdir(directory)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new InvalidInput(`--out ${directory} cannot be used: ${reasonOf(error)}`)
  }
}

async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path, 'r')
  await folder.sync()
}
