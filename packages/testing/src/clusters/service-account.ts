import { mkdtempSync, rmSync, writeFileSync, renameSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Clock } from '@machinist/core/clock'
import type { Connection } from '@machinist/kube/connection/connection'
import { connectTo } from '@machinist/kube/connection/credentials'
import { realFiles } from '@machinist/kube/connection/files'
import { inClusterTarget } from '@machinist/kube/connection/in-cluster'
import { commandRunner } from '@machinist/kube/connection/run-command'

/** The service account directory of a pod, with files that a test can replace. */
export class ServiceAccount {
  readonly directory = mkdtempSync(join(tmpdir(), 'machinist-account-'))

  constructor(files: { readonly token: string; readonly ca: string }) {
    this.write('token', files.token)
    this.write('ca.crt', files.ca)
    this.write('namespace', 'machinist')
  }

  /** Replaces a file atomically, as the kubelet does. */
  write(file: 'token' | 'ca.crt' | 'namespace', content: string): void {
    const path = join(this.directory, file)
    writeFileSync(`${path}.new`, content, { mode: 0o600 })
    renameSync(`${path}.new`, path)
  }

  /** The connection of a pod with these files. */
  async connection(server: string, clock: Clock): Promise<Connection> {
    const { hostname, port } = new URL(server)
    const target = await inClusterTarget({
      host: hostname,
      port,
      files: realFiles,
      directory: this.directory,
    })
    if (!target) throw new Error(`${this.directory} contains no token`)
    return connectTo({ target, files: realFiles, run: commandRunner({ clock, env: {} }), clock })
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true })
  }
}
