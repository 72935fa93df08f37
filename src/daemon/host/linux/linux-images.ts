import { CrioPins } from '../crio-pins.ts'
import { HostFailure } from '../host-failure.ts'
import type { ContainerRuntime, HostFiles, HostImages, HostUnits } from '../host.ts'
import { imageByDigest, repositoryIn } from '../image-by-digest.ts'
import { ContainerdPins } from './containerd-pins.ts'
import {
  filesystemCommand,
  idInStatus,
  idsInList,
  inspectCommand,
  listCommand,
  mountpointIn,
  pullCommand,
  sockets,
} from './crictl.ts'
import type { Manifest } from './image-manifest.ts'
import { readManifest } from './image-manifest.ts'
import type { Runner } from './runner.ts'
import { succeed } from './runner.ts'

export interface LinuxImagesOptions {
  readonly files: HostFiles
  readonly units: Pick<HostUnits, 'reload'>
  readonly runner: Runner
}

/** With which the kubelet logs in to registries; CRI-O is told of it by its own configuration. */
const kubeletAuth = '/var/lib/kubelet/config.json'

const storage: Readonly<Record<ContainerRuntime, string>> = {
  crio: '/var/lib/containers/storage',
  containerd: '/var/lib/containerd',
}

const machineCommand = { program: 'uname', args: ['-m'] }

/** The images of CRI-O or containerd, through `crictl`; sizes of what is not there yet through `podman`, where that is. */
export class LinuxImages implements HostImages {
  readonly #files: HostFiles
  readonly #runner: Runner
  #architecture: string | undefined
  readonly #pins: Readonly<Record<ContainerRuntime, CrioPins | ContainerdPins>>

  constructor({ files, units, runner }: LinuxImagesOptions) {
    this.#files = files
    this.#runner = runner
    const ids = (images: readonly string[]): Promise<Map<string, string>> =>
      this.#ids('containerd', images)
    this.#pins = { crio: new CrioPins(files, units), containerd: new ContainerdPins(runner, ids) }
  }

  /** CRI-O first: who has it may have containerd for something else. */
  async runtime(): Promise<ContainerRuntime | undefined> {
    for (const runtime of ['crio', 'containerd'] as const) {
      if ((await this.#files.look(sockets[runtime])) !== undefined) return runtime
    }
    return undefined
  }

  async present(images: readonly string[], signal?: AbortSignal): Promise<Set<string>> {
    const ids = await this.#ids(await this.#needed(), images.map(imageByDigest), signal)
    return new Set(ids.keys())
  }

  async room(): Promise<number> {
    const runtime = await this.#needed()
    const told = await this.#runner.run(filesystemCommand(runtime))
    const path = (told.code === 0 ? mountpointIn(told.output) : undefined) ?? storage[runtime]
    const command = { program: 'stat', args: ['-f', '-c', '%a %S', '--', path] }
    const [blocks = Number.NaN, size = Number.NaN] = (await succeed(this.#runner, command))
      .trim()
      .split(' ')
      .map(Number)
    if (Number.isSafeInteger(blocks * size)) return blocks * size
    throw new HostFailure(`stat cannot tell how much room there is at ${path}`, 'output')
  }

  async layers(
    image: string,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, number> | undefined> {
    this.#architecture ??= (await succeed(this.#runner, machineCommand)).trim()
    const asked = { architecture: this.#architecture, signal }
    const found = await this.#manifest(imageByDigest(image), asked)
    if (!found || 'layers' in found) return found?.layers
    const own = imageByDigest(`${repositoryIn(image)}@${found.digest}`)
    const single = await this.#manifest(own, asked)
    return single && 'layers' in single ? single.layers : undefined
  }

  async pull(image: string, signal: AbortSignal): Promise<void> {
    const runtime = await this.#needed()
    const ended = await this.#runner.run(pullCommand(runtime, imageByDigest(image), signal))
    if (ended.code === 0) return
    // The whole command would be cut short before the image is named.
    const why = ended.complaint === '' ? '' : `: ${ended.complaint}`
    throw new HostFailure(`pulling ${image} failed${why}`, `exit ${ended.code}`)
  }

  async keeps(images: readonly string[]): Promise<boolean> {
    return this.#pins[await this.#needed()].keeps(images.map(imageByDigest))
  }

  async keep(images: readonly string[]): Promise<void> {
    await this.#pins[await this.#needed()].keep(images.map(imageByDigest))
  }

  async #needed(): Promise<ContainerRuntime> {
    const runtime = await this.runtime()
    if (runtime) return runtime
    const places = Object.values(sockets).join(' nor at ')
    throw new HostFailure(`no container runtime listens at ${places}`, 'ENOENT')
  }

  /** What the runtime calls those that are there. */
  async #ids(
    runtime: ContainerRuntime,
    images: readonly string[],
    signal?: AbortSignal,
  ): Promise<Map<string, string>> {
    const listed = idsInList(await succeed(this.#runner, listCommand(runtime)))
    const ids = new Map<string, string>()
    for (const image of images) {
      // One program for each: a runtime that hangs must not hold up the end of the daemon.
      signal?.throwIfAborted()
      // A runtime may know it by another name than the one that it is asked for.
      const id = listed.get(image) ?? (await this.#idOf(runtime, image, signal))
      if (id !== undefined) ids.set(image, id)
    }
    return ids
  }

  async #idOf(
    runtime: ContainerRuntime,
    image: string,
    signal: AbortSignal | undefined,
  ): Promise<string | undefined> {
    const command = { ...inspectCommand(runtime, image), ...(signal && { signal }) }
    const { code, output } = await this.#runner.run(command)
    return code === 0 ? idInStatus(output) : undefined
  }

  /** Undefined where nobody can tell: without podman, say. What the registry refuses shows when it is pulled. */
  async #manifest(
    image: string,
    { architecture, signal }: { readonly architecture: string; readonly signal: AbortSignal },
  ): Promise<Manifest | undefined> {
    const hasAuth = (await this.#files.look(kubeletAuth))?.type === 'file'
    const auth = hasAuth ? [`--authfile=${kubeletAuth}`] : []
    const args = ['manifest', 'inspect', ...auth, image]
    try {
      const { code, output } = await this.#runner.run({ program: 'podman', args, signal })
      return code === 0 ? readManifest(output, architecture) : undefined
    } catch (error) {
      if (error instanceof HostFailure && !signal.aborted) return undefined
      throw error
    }
  }
}
