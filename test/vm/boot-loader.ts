import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The entry of the next boot. */
interface BootEntry {
  readonly linux: string
  readonly initrd: string
  readonly options: string
}

/**
 * The entry that a boot loader selects: the one with the highest version. Like a boot loader, it reads the file system as it is
 * on the disk, without replaying its journal.
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

/** The content of a file; undefined if it does not exist. */
export async function contentOn(disk: string, path: string): Promise<string | undefined> {
  const { stdout, stderr } = await debugfs(disk, `cat ${path}`)
  return stderr.includes('File not found') ? undefined : stdout
}

/** Replays the journal, as a kernel does when it mounts a file system that was not unmounted. A boot loader does not: use a copy. */
export async function replayJournal(disk: string): Promise<void> {
  await run('e2fsck', ['-y', '-E', 'journal_only', disk], limits).catch(
    (error: Error & { code?: unknown }) => {
      const hadToDoSomething = 1
      if (error.code !== hadToDoSomething) throw error
    },
  )
}

/** `-c`: skip the bitmaps of free blocks, which are wrong before the journal is replayed. */
const debugfs = (disk: string, command: string): Promise<{ stdout: string; stderr: string }> =>
  run('debugfs', ['-c', '-R', command, disk], limits)

const limits = { timeout: 60_000, maxBuffer: 16 * 1024 * 1024 }
