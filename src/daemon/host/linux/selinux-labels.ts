import { basename, dirname } from 'node:path'
import { HostFailure } from '../host-failure.ts'
import type { HostFiles } from '../host.ts'
import type { LabelTarget, SecurityLabels } from '../files/security-labels.ts'
import type { CommandRunner } from './commands/runner.ts'
import { runOrThrow } from './commands/runner.ts'

/** SELinux labels, on machines with SELinux. */
export class SelinuxLabels implements SecurityLabels {
  readonly #runner: CommandRunner
  readonly #isEnabled: () => Promise<boolean>

  constructor(runner: CommandRunner, isEnabled: () => Promise<boolean>) {
    this.#runner = runner
    this.#isEnabled = once(isEnabled)
  }

  async apply(temporaryPath: string, path: string, as: LabelTarget): Promise<void> {
    if (!(await this.#isEnabled())) return
    if (as === 'replacement') {
      const before = `${dirname(temporaryPath)}/${basename(path)}`
      return this.#change([`--reference=${before}`, '--', temporaryPath])
    }
    const label = await this.#labelFor(path, as)
    // Without a rule, the kernel has set the label of the directory.
    if (label !== undefined) await this.#change(['--', label, temporaryPath])
  }

  async #change(args: readonly string[]): Promise<void> {
    await runOrThrow(this.#runner, { program: 'chcon', args: ['--no-dereference', ...args] })
  }

  /** The label that the policy has for the final path, not for the temporary one. */
  async #labelFor(path: string, as: 'file' | 'directory'): Promise<string | undefined> {
    try {
      // The path does not exist yet, so matchpathcon needs its type.
      const args = ['-n', '-m', as === 'file' ? 'file' : 'dir', path]
      const { code, output } = await this.#runner.run({ program: 'matchpathcon', args })
      const label = output.trim()
      return code === 0 && /^[^\s<>]+$/.test(label) ? label : undefined
    } catch (error) {
      if (error instanceof HostFailure && error.code === 'ENOENT') return undefined
      throw error
    }
  }
}

export const hasSelinux = async (files: HostFiles): Promise<boolean> =>
  (await files.stat('/sys/fs/selinux/enforce')) !== undefined

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined
  return () => (result ??= work())
}
