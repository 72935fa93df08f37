import { isObject, jsonOrUndefined } from '@machinist/core/encoding/json'
import { HostFailure } from '../host-failure.ts'
import type { ContainerRuntime } from '../host.ts'
import type { Command } from './commands/runner.ts'

/** The sockets of the container runtimes. */
export const sockets: Readonly<Record<ContainerRuntime, string>> = {
  crio: '/run/crio/crio.sock',
  containerd: '/run/containerd/containerd.sock',
}

/** Long enough for large images over slow networks, but a pull that hangs must end. */
const pullLimitMs = 60 * 60_000

/** Sets the endpoint explicitly: /etc/crictl.yaml may name another runtime. */
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

/** The ids of images, by each of their names by digest. */
export function idsInList(output: string): Map<string, string> {
  const parsed = jsonOrUndefined(output)
  const images = isObject(parsed) ? parsed['images'] : undefined
  if (!Array.isArray(images)) throw invalidOutput('crictl images')
  return new Map(
    images.flatMap((image: unknown) => {
      const { id, repoDigests: digests } = isObject(image) ? image : {}
      if (typeof id !== 'string' || !Array.isArray(digests)) return []
      return digests.filter((each) => typeof each === 'string').map((each) => [each, id] as const)
    }),
  )
}

/** The id of the inspected image. */
export function idInStatus(output: string): string {
  const parsed = jsonOrUndefined(output)
  const status = isObject(parsed) ? parsed['status'] : undefined
  const id = isObject(status) ? status['id'] : undefined
  if (typeof id !== 'string') throw invalidOutput('crictl inspecti')
  return id
}

/** The mount point of the image storage. Older versions report one file system, newer versions a list. */
export function mountpointIn(output: string): string | undefined {
  const parsed = jsonOrUndefined(output)
  if (!isObject(parsed)) throw invalidOutput('crictl imagefsinfo')
  const { status = parsed } = parsed
  const { imageFilesystems: several } = isObject(status) ? status : {}
  const first: unknown = Array.isArray(several) ? several[0] : status
  const id = isObject(first) ? first['fsId'] : undefined
  const mountpoint = isObject(id) ? id['mountpoint'] : undefined
  return typeof mountpoint === 'string' && mountpoint.startsWith('/') ? mountpoint : undefined
}

const invalidOutput = (what: string): HostFailure =>
  new HostFailure(`cannot parse the output of ${what}`, 'output')
