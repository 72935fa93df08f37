import type { ContainerRuntime } from '../../../../src/daemon/host/host.ts'
import { HostFailure } from '../../../../src/daemon/host/host-failure.ts'
import type {
  Command,
  CommandResult,
  CommandRunner,
} from '../../../../src/daemon/host/linux/commands/runner.ts'

/**
 * Simulates `crictl`, `ctr`, `podman`, `stat`, `uname` and `systemctl` on a machine with a container runtime, as far as the
 * daemon uses them. The output has the format of the real programs.
 */
export class ContainerTools implements CommandRunner {
  readonly ran: string[] = []
  readonly pulled = new Set<string>()
  readonly broken = new Set<string>()
  /** Labels by name, as in containerd: an image has its own name and one derived from its id. */
  readonly labels = new Map<string, Map<string, string>>()
  /** The output of `podman manifest inspect` by image; by default a single image. */
  readonly manifests = new Map<string, string>()
  hasPodman = true
  /** Images that the runtime lists under another name. */
  readonly otherNames = new Set<string>()
  readonly #runtime: ContainerRuntime

  constructor(runtime: ContainerRuntime) {
    this.#runtime = runtime
  }

  async run(command: Command): Promise<CommandResult> {
    const { program, args, signal } = command
    this.ran.push([program, ...args].join(' '))
    if (signal?.aborted) throw new HostFailure(`${program} was ended`, 'aborted')
    switch (program) {
      case 'crictl':
        return this.#crictl(args)
      case 'ctr':
        return this.#ctr(args)
      case 'podman':
        return this.#podman(args.at(-1)!)
      case 'stat':
        return done('26214400 4096\n')
      case 'uname':
        return done('x86_64\n')
      case 'systemctl':
        return done('')
    }
    throw new HostFailure(`${program} is not installed`, 'ENOENT')
  }

  /** Removes an image, as an administrator would. */
  remove(image: string): void {
    this.pulled.delete(image)
    for (const name of [image, idOf(image)]) this.labels.delete(name)
  }

  #crictl(args: readonly string[]): CommandResult {
    const endpoint = `unix:///run/${this.#runtime}/${this.#runtime}.sock`
    const where = [`--runtime-endpoint=${endpoint}`, `--image-endpoint=${endpoint}`]
    if (!where.every((each) => args.includes(each))) return failed('connection refused')
    const [verb, ...rest] = args.filter((arg) => !/^--(runtime|image|timeout)/.test(arg))
    const image = rest.at(-1) ?? ''
    if (verb === 'images') {
      const images = [...this.pulled].map((each) => ({
        id: idOf(each),
        repoTags: [],
        repoDigests: [each],
        size: '1000',
        pinned: false,
      }))
      return done(JSON.stringify({ images }))
    }
    if (verb === 'inspecti') {
      const isKnown = this.pulled.has(image) || this.otherNames.has(image)
      return isKnown
        ? done(JSON.stringify({ status: { id: idOf(image) } }))
        : failed(`no such image "${image}" present`)
    }
    if (verb === 'imagefsinfo') {
      const fsId = { mountpoint: '/var/lib/containers/storage/overlay-images' }
      return done(JSON.stringify({ status: { imageFilesystems: [{ fsId, timestamp: '1' }] } }))
    }
    if (this.broken.has(image)) return failed(`pulling image: reading manifest: manifest unknown`)
    this.pulled.add(image)
    // A pull removes the labels of the name; the name by id keeps them.
    this.labels.set(image, new Map())
    if (!this.labels.has(idOf(image))) this.labels.set(idOf(image), new Map())
    return done(`Image is up to date for ${image}\n`)
  }

  #ctr(args: readonly string[]): CommandResult {
    const [namespace, images, verb, ...rest] = args
    if (namespace !== '--namespace=k8s.io' || images !== 'images')
      return failed('unexpected arguments')
    if (verb === 'ls') {
      const filter = 'labels."io.cri-containerd.pinned"==pinned,labels."machinist.dev/pinned"==true'
      if (rest.join(' ') !== `--quiet ${filter}`) return failed('unexpected arguments')
      const kept = [...this.labels].filter(
        ([, labels]) =>
          labels.get('io.cri-containerd.pinned') === 'pinned' &&
          labels.get('machinist.dev/pinned') === 'true',
      )
      return done(kept.map(([image]) => `${image}\n`).join(''))
    }
    const [image = '', ...labels] = rest
    const known = this.labels.get(image)
    if (verb !== 'label' || !known) return failed(`image "${image}": not found`)
    for (const label of labels) {
      const [key = '', value = ''] = label.split('=')
      if (value === '') known.delete(key)
      else known.set(key, value)
    }
    return done('')
  }

  #podman(image: string): CommandResult {
    if (!this.hasPodman) throw new HostFailure('podman is not installed', 'ENOENT')
    const layers = [
      { digest: 'sha256:1', size: 3000 },
      { digest: 'sha256:2', size: 500 },
    ]
    return done(this.manifests.get(image) ?? JSON.stringify({ schemaVersion: 2, layers }))
  }
}

/** The digest of the configuration, which differs from that of the image. */
const idOf = (image: string): string => `sha256:0${image.slice(-63)}`

const done = (output: string): CommandResult => ({ code: 0, output, errorLine: '' })
const failed = (errorLine: string): CommandResult => ({ code: 1, output: '', errorLine })
