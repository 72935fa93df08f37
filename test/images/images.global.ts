import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import type { Image, Images } from './images.ts'

const script = join(import.meta.dirname, '../../scripts/images.sh')
const names = ['machinist', 'machinist-daemon'] as const

/** Builds the images in a separate store and mounts them. If that is not possible, the suites are skipped with the reason. */
export default function setup(project: TestProject): (() => void) | undefined {
  const missing = whyNot()
  if (missing !== undefined) {
    process.stderr.write(`${missing}\n`)
    project.provide('images', { missing })
    return undefined
  }
  const store = new Store()
  try {
    project.provide('images', store.built())
  } catch (error) {
    store.remove()
    throw error
  }
  return () => store.remove()
}

function whyNot(): string | undefined {
  if (process.platform !== 'linux' || process.geteuid?.() !== 0) {
    return 'images: what is in them is tried out as root on Linux'
  }
  const { status, stderr } = spawnSync(script, ['--tools'], { encoding: 'utf8' })
  return status === 0 ? undefined : stderr.trim() || `${script} failed`
}

class Store {
  readonly #directory = mkdtempSync(join(tmpdir(), 'machinist-images-'))
  readonly #env: NodeJS.ProcessEnv

  constructor() {
    const policy = { default: [{ type: 'insecureAcceptAnything' }] }
    const home = join(this.#directory, 'home')
    mkdirSync(join(home, '.config/containers'), { recursive: true })
    writeFileSync(join(home, '.config/containers/policy.json'), JSON.stringify(policy))
    const config = join(this.#directory, 'storage.conf')
    this.#env = { ...process.env, HOME: home, CONTAINERS_STORAGE_CONF: config }
    for (const driver of ['overlay', 'vfs']) {
      const [images, state] = ['images', 'state'].map((name) => join(this.#directory, name))
      writeFileSync(
        config,
        `[storage]\ndriver = "${driver}"\ngraphroot = "${images}"\nrunroot = "${state}"\n`,
      )
      // Not every file system supports overlays.
      if (spawnSync('buildah', ['info'], { env: this.#env }).status === 0) break
    }
  }

  built(): Images {
    const archives = join(this.#directory, 'archives')
    const output = this.#run(script, '--tag', 'test', '--save', archives)
    this.#run(script, '--tag', 'based', '--base', 'machinist:test', 'machinist')
    process.stderr.write(`${output}\n`)
    const [machinist, daemon] = names.map((name) => this.#image(`${name}:test`))
    return {
      machinist: machinist!,
      daemon: daemon!,
      based: this.#image('machinist:based'),
      archives,
    }
  }

  #image(name: string): Image {
    const { OCIv1: image } = JSON.parse(this.#run('buildah', 'inspect', '--type=image', name)) as {
      OCIv1: { config: Image['config']; rootfs: { diff_ids: string[] } }
    }
    const root = this.#run('buildah', 'mount', this.#run('buildah', 'from', name))
    return { root, config: image.config, layers: image.rootfs.diff_ids }
  }

  #run(program: string, ...args: readonly string[]): string {
    return execFileSync(program, args, { encoding: 'utf8', env: this.#env }).trim()
  }

  remove(): void {
    spawnSync('buildah', ['rm', '--all'], { env: this.#env })
    rmSync(this.#directory, { recursive: true, force: true })
  }
}
