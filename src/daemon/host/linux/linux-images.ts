import { CrioPins } from '../crio-pins.ts'
import { HostFailure } from '../host-failure.ts'
import type { ContainerRuntime, HostFiles, HostImages, HostUnits } from '../host.ts'
import { requireImageByDigest, repositoryOf } from '../image-by-digest.ts'
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
import type { ImageManifest } from './image-manifest.ts'
import { readManifest } from './image-manifest.ts'
import type { CommandRunner } from './commands/runner.ts'
import { runOrThrow } from './commands/runner.ts'

export interface LinuxImagesOptions {
  readonly files: HostFiles
  readonly units: Pick<HostUnits, 'reload'>
  readonly runner: CommandRunner
}

/** The kubelet's credentials for registries; the configuration of CRI-O refers to the same file. */
const kubeletAuthFile = '/var/lib/kubelet/config.json'

const defaultStorage: Readonly<Record<ContainerRuntime, string>> = {
  crio: '/var/lib/containers/storage',
  containerd: '/var/lib/containerd',
}

const architectureCommand = { program: 'uname', args: ['-m'] }

/** The images of CRI-O or containerd, through `crictl`; sizes of images before a pull through `podman`, if installed. */
export class LinuxImages implements HostImages {
  readonly #files: HostFiles
  readonly #runner: CommandRunner
  #architecture: string | undefined
  readonly #pins: Readonly<Record<ContainerRuntime, CrioPins | ContainerdPins>>

  constructor({ files, units, runner }: LinuxImagesOptions) {
    this.#files = files
    this.#runner = runner
    const ids = (images: readonly string[]): Promise<Map<string, string>> =>
      this.#ids('containerd', images)
    this.#pins = { crio: new CrioPins(files, units), containerd: new ContainerdPins(runner, ids) }
  }

  /** CRI-O first: a machine with CRI-O may use containerd for something else. */
  async runtime(): Promise<ContainerRuntime | undefined> {
    for (const runtime of ['crio', 'containerd'] as const) {
      if ((await this.#files.stat(sockets[runtime])) !== undefined) return runtime
    }
    return undefined
  }

  async present(images: readonly string[], signal?: AbortSignal): Promise<Set<string>> {
    const ids = await this.#ids(
      await this.#requireRuntime(),
      images.map(requireImageByDigest),
      signal,
    )
    return new Set(ids.keys())
  }

  async freeBytes(): Promise<number> {
    const runtime = await this.#requireRuntime()
    const { code, output } = await this.#runner.run(filesystemCommand(runtime))
    const path = (code === 0 ? mountpointIn(output) : undefined) ?? defaultStorage[runtime]
    const command = { program: 'stat', args: ['-f', '-c', '%a %S', '--', path] }
    const [blocks = Number.NaN, size = Number.NaN] = (await runOrThrow(this.#runner, command))
      .trim()
      .split(' ')
      .map(Number)
    if (Number.isSafeInteger(blocks * size)) return blocks * size
    throw new HostFailure(`stat did not report the free space of ${path}`, 'output')
  }

  async layers(
    image: string,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, number> | undefined> {
    this.#architecture ??= (await runOrThrow(this.#runner, architectureCommand)).trim()
    const options = { architecture: this.#architecture, signal }
    const found = await this.#manifest(requireImageByDigest(image), options)
    if (!found || 'layers' in found) return found?.layers
    const own = requireImageByDigest(`${repositoryOf(image)}@${found.digest}`)
    const single = await this.#manifest(own, options)
    return single && 'layers' in single ? single.layers : undefined
  }

  async pull(image: string, signal: AbortSignal): Promise<void> {
    const runtime = await this.#requireRuntime()
    const { code, errorLine } = await this.#runner.run(
      pullCommand(runtime, requireImageByDigest(image), signal),
    )
    if (code === 0) return
    // Not `exitFailure`: it truncates the command before the name of the image.
    const why = errorLine === '' ? '' : `: ${errorLine}`
    throw new HostFailure(`pulling ${image} failed${why}`, `exit ${code}`)
  }

  async hasPins(images: readonly string[]): Promise<boolean> {
    return this.#pins[await this.#requireRuntime()].hasPins(images.map(requireImageByDigest))
  }

  async setPins(images: readonly string[]): Promise<void> {
    await this.#pins[await this.#requireRuntime()].setPins(images.map(requireImageByDigest))
  }

  async #requireRuntime(): Promise<ContainerRuntime> {
    const runtime = await this.runtime()
    if (runtime) return runtime
    const paths = Object.values(sockets).join(' or ')
    throw new HostFailure(`no container runtime listens at ${paths}`, 'ENOENT')
  }

  /** The ids of the images that are on the machine. */
  async #ids(
    runtime: ContainerRuntime,
    images: readonly string[],
    signal?: AbortSignal,
  ): Promise<Map<string, string>> {
    const listed = idsInList(await runOrThrow(this.#runner, listCommand(runtime)))
    const ids = new Map<string, string>()
    for (const image of images) {
      // Each image may run a program: a runtime that hangs must not delay the shutdown of the daemon.
      signal?.throwIfAborted()
      // The runtime may list the image under another name.
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

  /** Undefined if unknown, such as without podman. The pull reports errors of the registry. */
  async #manifest(
    image: string,
    { architecture, signal }: { readonly architecture: string; readonly signal: AbortSignal },
  ): Promise<ImageManifest | undefined> {
    const hasAuth = (await this.#files.stat(kubeletAuthFile))?.type === 'file'
    const auth = hasAuth ? [`--authfile=${kubeletAuthFile}`] : []
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
