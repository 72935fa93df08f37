import type { HostFiles } from '../host.ts'

/** Holds the state that a real machine has in its firmware, kernel and boot loader. */
export const simulationState = '/var/lib/machinist-sandbox'

export async function loadTextFile(files: HostFiles, path: string): Promise<string | undefined> {
  if ((await files.stat(path))?.type !== 'file') return undefined
  return Buffer.from(await files.read(path)).toString()
}

export async function saveTextFile(files: HostFiles, path: string, text: string): Promise<void> {
  await files.write(path, { content: Buffer.from(text), mode: 0o644, uid: 0, gid: 0 })
}
