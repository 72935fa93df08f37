import type { HostFiles } from '../host.ts'

/** Where a simulated machine keeps what a real one has in its firmware, kernel and boot loader. */
export const simulationState = '/var/lib/machinist-sandbox'

export async function textAt(files: HostFiles, path: string): Promise<string | undefined> {
  if ((await files.look(path))?.type !== 'file') return undefined
  return Buffer.from(await files.read(path)).toString()
}

export async function putText(files: HostFiles, path: string, text: string): Promise<void> {
  await files.write(path, { content: Buffer.from(text), mode: 0o644, uid: 0, gid: 0 })
}
