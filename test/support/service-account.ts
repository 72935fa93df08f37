import { mkdtempSync, rmSync, writeFileSync, renameSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Clock } from '../../src/base/clock.ts'
import type { Connection } from '../../src/kube/connection/connection.ts'
import { connectTo } from '../../src/kube/connection/credentials.ts'
import { realFiles } from '../../src/kube/connection/files.ts'
import { inClusterTarget } from '../../src/kube/connection/in-cluster.ts'
import { commandRunner } from '../../src/kube/connection/run-command.ts'

/** A service account's directory as a pod finds it, whose files a test may replace. */
export class ServiceAccount {
  readonly directory = mkdtempSync(join(tmpdir(), 'machinist-account-'))

  constructor(files: { readonly token: string; readonly ca: string }) {
    this.write('token', files.token)
    this.write('ca.crt', files.ca)
    this.write('namespace', 'machinist')
  }

  /** Replaced at once, as the kubelet does it. */
  write(file: 'token' | 'ca.crt' | 'namespace', content: string): void {
    const path = join(this.directory, file)
    writeFileSync(`${path}.new`, content, { mode: 0o600 })
    renameSync(`${path}.new`, path)
  }

  /** The connection that a pod with these files has. */
  async connection(server: string, clock: Clock): Promise<Connection> {
    const { hostname, port } = new URL(server)
    const target = await inClusterTarget({
      host: hostname,
      port,
      files: realFiles,
      directory: this.directory,
    })
    if (!target) throw new Error(`${this.directory} holds no token`)
    return connectTo({ target, files: realFiles, run: commandRunner({ clock, env: {} }), clock })
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true })
  }
}
