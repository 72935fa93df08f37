import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const script = join(import.meta.dirname, '../../scripts/debian-program.sh')

export interface IgnitionRun {
  readonly exitCode: number
  readonly log: string
}

export interface IgnitionOptions {
  /** 60 by default. */
  readonly timeoutSeconds?: number
  /** Directories that are mounted in the root meanwhile, by their path in it. */
  readonly mounts?: Readonly<Record<string, string>>
}

/** The stages of Ignition that need no initramfs. */
type Stage = 'fetch' | 'files'

/**
 * The real Ignition, of Debian's package: it fetches the config that a pointer names, and writes it to a directory. It supports the
 * specs 3.0 to 3.3.
 */
export class RealIgnition {
  readonly #program: string
  readonly #directory: string

  private constructor(program: string, directory: string) {
    this.#program = program
    this.#directory = directory
  }

  static async find(): Promise<RealIgnition> {
    const { exitCode, log } = await ran(script, ['ignition', 'ignition'], process.env)
    if (exitCode !== 0) throw new Error(log)
    const directory = await mkdtemp(join(tmpdir(), 'machinist-ignition-'))
    // Debian's Ignition always relabels files. It passes their paths to the program on standard input.
    const setfiles = join(directory, 'setfiles')
    await writeFile(setfiles, '#!/bin/sh\nexec cat >/dev/null\n')
    await chmod(setfiles, 0o755)
    return new RealIgnition(log.trim(), directory)
  }

  /** Adds the files to a root without which Ignition fails on it. */
  static async prepareRoot(root: string): Promise<void> {
    const contexts = join(root, 'etc/selinux/targeted/contexts/files')
    await mkdir(contexts, { recursive: true })
    await writeFile(join(contexts, 'file_contexts'), '')
    await writeFile(join(root, 'etc/selinux/config'), 'SELINUX=disabled\nSELINUXTYPE=targeted\n')
    // A minimal root has neither.
    for (const [path, text] of Object.entries({ 'login.defs': loginDefs, gshadow: 'root:*::\n' })) {
      await writeFile(join(root, 'etc', path), text, { flag: 'wx' }).catch(ignoreExisting)
    }
  }

  /**
   * Fetches the config and writes it to the root. Ignition retries most failures forever: it is ended after the timeout, with the
   * exit code 124.
   */
  async apply(config: string, root: string, options: IgnitionOptions = {}): Promise<IgnitionRun> {
    const state = await mkdtemp(join(this.#directory, 'state-'))
    await writeFile(join(state, 'config.ign'), config)
    let log = ''
    for (const stage of ['fetch', 'files'] as const) {
      const end = await this.#stage(stage, state, root, options)
      log += end.log
      if (end.exitCode !== 0) return { exitCode: end.exitCode, log }
    }
    return { exitCode: 0, log }
  }

  /** Fails if Ignition does. The root boots without SELinux afterwards. */
  async provision(config: string, root: string, options?: IgnitionOptions): Promise<void> {
    await RealIgnition.prepareRoot(root)
    const { exitCode, log } = await this.apply(config, root, options)
    if (exitCode !== 0) throw new Error(`Ignition ended with ${exitCode}:\n${log}`)
    await rm(join(root, 'etc/selinux'), { recursive: true })
  }

  #stage(
    stage: Stage,
    state: string,
    root: string,
    { timeoutSeconds = 60, mounts = {} }: IgnitionOptions,
  ): Promise<IgnitionRun> {
    const environment = {
      PATH: `${this.#directory}:${process.env['PATH']}`,
      IGNITION_CONFIG_FILE: join(state, 'config.ign'),
      IGNITION_SYSTEM_CONFIG_DIR: join(state, 'system'),
    }
    const options = [
      '--platform=file',
      `--stage=${stage}`,
      `--root=${root}`,
      `--config-cache=${state}/cache.json`,
      `--state-file=${state}/state`,
      `--neednet=${state}/neednet`,
      '--log-to-stdout',
    ]
    const binds = Object.entries(mounts).map(
      ([path, source]) => `mount --bind ${source} ${root}${path}`,
    )
    const script = [...binds, 'exec "$@"'].join(' && ')
    const apart = ['--mount', '--propagation', 'private', 'sh', '-c', script, 'sh']
    const timeout = ['timeout', String(timeoutSeconds)]
    return ran('unshare', [...apart, ...timeout, this.#program, ...options], environment)
  }
}

const loginDefs = `USERGROUPS_ENAB yes
HOME_MODE 0700
UID_MIN 1000
GID_MIN 1000
PASS_MIN_DAYS 0
PASS_MAX_DAYS 99999
PASS_WARN_AGE 7
`

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}

function ran(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<IgnitionRun> {
  return new Promise((resolve) => {
    execFile(program, args, { env, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      const exitCode = typeof error?.code === 'number' ? error.code : error ? 1 : 0
      resolve({ exitCode, log: stdout + stderr })
    })
  })
}
