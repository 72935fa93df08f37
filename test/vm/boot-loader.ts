import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** What the next boot is made of. */
interface BootEntry {
  readonly linux: string
  readonly initrd: string
  readonly options: string
}

/**
 * The entry that a boot loader would take: that with the highest version. As boot loaders do, it looks at the file system as it is
 * on the disk, without what only its journal knows.
 */
export async function firstEntry(disk: string): Promise<BootEntry> {
  const { stdout, stderr } = await debugfs(disk, 'ls -p /boot/loader/entries')
  const names = stdout.split('\n').flatMap((line) => line.split('/')[5] ?? [])
  const entries = names.filter((name) => name.endsWith('.conf'))
  const texts = await Promise.all(
    entries.map(async (name) => (await debugfs(disk, `cat /boot/loader/entries/${name}`)).stdout),
  )
  const [newest] = texts.sort((a, b) => Number(field(b, 'version')) - Number(field(a, 'version')))
  if (newest === undefined) throw new Error(`nothing to boot on ${disk}: ${stderr}`)
  return {
    linux: `/boot${field(newest, 'linux')}`,
    initrd: `/boot${field(newest, 'initrd')}`,
    options: field(newest, 'options'),
  }
}

const field = (text: string, name: string): string =>
  new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1] ?? ''

/** Copies a file out of a disk. */
export async function extract(disk: string, path: string, to: string): Promise<void> {
  await debugfs(disk, `dump ${path} ${to}`)
}

/** What is in a file; undefined if there is none. */
export async function contentOn(disk: string, path: string): Promise<string | undefined> {
  const { stdout, stderr } = await debugfs(disk, `cat ${path}`)
  return stderr.includes('File not found') ? undefined : stdout
}

/** What a kernel does first when it mounts a file system that was not unmounted. The boot loader would not: take a copy. */
export async function replayJournal(disk: string): Promise<void> {
  await run('e2fsck', ['-y', '-E', 'journal_only', disk], limits).catch(
    (error: Error & { code?: unknown }) => {
      const hadToDoSomething = 1
      if (error.code !== hadToDoSomething) throw error
    },
  )
}

/** `-c`: what is free is nobody's business who only reads, and is not right before the journal is replayed. */
const debugfs = (disk: string, command: string): Promise<{ stdout: string; stderr: string }> =>
  run('debugfs', ['-c', '-R', command, disk], limits)

const limits = { timeout: 60_000, maxBuffer: 16 * 1024 * 1024 }
