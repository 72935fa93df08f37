import type { ContainerRuntime } from '../../../../src/daemon/host/host.ts'
import { HostFailure } from '../../../../src/daemon/host/host-failure.ts'
import type { Command, Ended, Runner } from '../../../../src/daemon/host/linux/runner.ts'

/**
 * What `crictl`, `ctr`, `podman`, `stat`, `uname` and `systemctl` answer on a machine with a container runtime, as far as the
 * daemon asks. Answers have the form of the real ones.
 */
export class ContainerTools implements Runner {
  readonly ran: string[] = []
  readonly pulled = new Set<string>()
  readonly broken = new Set<string>()
  /** Labels by name, as containerd has them: an image has its own, and its id. */
  readonly labels = new Map<string, Map<string, string>>()
  /** What `podman manifest inspect` shows, by image; a plain image otherwise. */
  readonly manifests = new Map<string, string>()
  hasPodman = true
  /** Known to the runtime, but under another name. */
  readonly otherNames = new Set<string>()
  readonly #runtime: ContainerRuntime

  constructor(runtime: ContainerRuntime) {
    this.#runtime = runtime
  }

  async run(command: Command): Promise<Ended> {
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

  /** Somebody does, by hand. */
  remove(image: string): void {
    this.pulled.delete(image)
    for (const name of [image, idOf(image)]) this.labels.delete(name)
  }

  #crictl(args: readonly string[]): Ended {
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
    // What is pulled again loses its labels; the name by id, which comes with it, is left alone.
    this.labels.set(image, new Map())
    if (!this.labels.has(idOf(image))) this.labels.set(idOf(image), new Map())
    return done(`Image is up to date for ${image}\n`)
  }

  #ctr(args: readonly string[]): Ended {
    const [namespace, images, verb, ...rest] = args
    if (namespace !== '--namespace=k8s.io' || images !== 'images') return failed('not asked before')
    if (verb === 'ls') {
      const filter = 'labels."io.cri-containerd.pinned"==pinned,labels."machinist.dev/pinned"==true'
      if (rest.join(' ') !== `--quiet ${filter}`) return failed('not asked before')
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

  #podman(image: string): Ended {
    if (!this.hasPodman) throw new HostFailure('podman is not installed', 'ENOENT')
    const layers = [
      { digest: 'sha256:1', size: 3000 },
      { digest: 'sha256:2', size: 500 },
    ]
    return done(this.manifests.get(image) ?? JSON.stringify({ schemaVersion: 2, layers }))
  }
}

/** Of its configuration: another digest than that of the image. */
const idOf = (image: string): string => `sha256:0${image.slice(-63)}`

const done = (output: string): Ended => ({ code: 0, output, complaint: '' })
const failed = (complaint: string): Ended => ({ code: 1, output: '', complaint })
