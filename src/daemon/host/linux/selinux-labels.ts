import { basename, dirname } from 'node:path'
import { HostFailure } from '../host-failure.ts'
import type { HostFiles } from '../host.ts'
import type { Labelled, Labels } from '../labels.ts'
import type { Runner } from './runner.ts'
import { succeed } from './runner.ts'

/** Security labels of SELinux, on machines that have it. */
export class SelinuxLabels implements Labels {
  readonly #runner: Runner
  readonly #isOn: () => Promise<boolean>

  constructor(runner: Runner, isOn: () => Promise<boolean>) {
    this.#runner = runner
    this.#isOn = once(isOn)
  }

  async apply(fresh: string, path: string, as: Labelled): Promise<void> {
    if (!(await this.#isOn())) return
    if (as === 'replacement') {
      const before = `${dirname(fresh)}/${basename(path)}`
      return this.#change([`--reference=${before}`, '--', fresh])
    }
    const label = await this.#labelFor(path, as)
    // Without a rule it keeps the label of its directory, which the kernel gave it.
    if (label !== undefined) await this.#change(['--', label, fresh])
  }

  async #change(args: readonly string[]): Promise<void> {
    await succeed(this.#runner, { program: 'chcon', args: ['--no-dereference', ...args] })
  }

  /** What the policy says about the path; not what it says about the name that the file has until it is whole. */
  async #labelFor(path: string, as: 'file' | 'directory'): Promise<string | undefined> {
    try {
      // It is not there yet, so it has to be said what it will be.
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
  (await files.look('/sys/fs/selinux/enforce')) !== undefined

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined
  return () => (result ??= work())
}
