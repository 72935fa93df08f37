import { isObject, jsonOrUndefined } from '@machinist/core/json'
import { HostFailure } from '../host-failure.ts'
import type { ContainerRuntime } from '../host.ts'
import type { Command } from './runner.ts'

/** Where the runtimes listen. */
export const sockets: Readonly<Record<ContainerRuntime, string>> = {
  crio: '/run/crio/crio.sock',
  containerd: '/run/containerd/containerd.sock',
}

/** Large images over slow lines take their time; what hangs must end some day. */
const pullLimitMs = 60 * 60_000

/** Never the endpoint that some file on the machine names: that may be another runtime's. */
function crictl(runtime: ContainerRuntime, args: readonly string[], limitMs = 90_000): Command {
  const endpoint = `unix://${sockets[runtime]}`
  const where = [`--runtime-endpoint=${endpoint}`, `--image-endpoint=${endpoint}`, '--timeout=60s']
  return { program: 'crictl', args: [...where, ...args], limitMs }
}

export const listCommand = (runtime: ContainerRuntime): Command =>
  crictl(runtime, ['images', '--no-trunc', '--output=json'])

export const inspectCommand = (runtime: ContainerRuntime, image: string): Command =>
  crictl(runtime, ['inspecti', '--quiet', image])

export const pullCommand = (
  runtime: ContainerRuntime,
  image: string,
  signal: AbortSignal,
): Command => ({ ...crictl(runtime, ['pull', image], pullLimitMs), signal })

export const filesystemCommand = (runtime: ContainerRuntime): Command =>
  crictl(runtime, ['imagefsinfo', '--output=json'])

/** The ids of a list of images, under all names by digest that they have. */
export function idsInList(output: string): Map<string, string> {
  const said = jsonOrUndefined(output)
  const images = isObject(said) ? said['images'] : undefined
  if (!Array.isArray(images)) throw notUnderstood('crictl images')
  return new Map(
    images.flatMap((image: unknown) => {
      const { id, repoDigests: digests } = isObject(image) ? image : {}
      if (typeof id !== 'string' || !Array.isArray(digests)) return []
      return digests.filter((each) => typeof each === 'string').map((each) => [each, id] as const)
    }),
  )
}

/** The id of the one image that was asked for. */
export function idInStatus(output: string): string {
  const said = jsonOrUndefined(output)
  const status = isObject(said) ? said['status'] : undefined
  const id = isObject(status) ? status['id'] : undefined
  if (typeof id !== 'string') throw notUnderstood('crictl inspecti')
  return id
}

/** Where images are stored. Older versions tell one file system, newer ones a list of them. */
export function mountpointIn(output: string): string | undefined {
  const said = jsonOrUndefined(output)
  if (!isObject(said)) throw notUnderstood('crictl imagefsinfo')
  const { status = said } = said
  const { imageFilesystems: several } = isObject(status) ? status : {}
  const first: unknown = Array.isArray(several) ? several[0] : status
  const id = isObject(first) ? first['fsId'] : undefined
  const mountpoint = isObject(id) ? id['mountpoint'] : undefined
  return typeof mountpoint === 'string' && mountpoint.startsWith('/') ? mountpoint : undefined
}

const notUnderstood = (what: string): HostFailure =>
  new HostFailure(`${what} answered something that is not understood`, 'output')
