import { describe, expect, it } from 'vitest'
import type { ContainerRuntime } from '../../../../src/daemon/host/host.ts'
import { LinuxImages } from '../../../../src/daemon/host/linux/linux-images.ts'
import { LinuxUnits } from '../../../../src/daemon/host/linux/linux-units.ts'
import { MemoryHost } from '../../../../src/daemon/host/memory/memory-host.ts'
import type { SimulatedImages } from '../../../../src/daemon/host/simulated/simulated-images.ts'
import { ContainerTools } from './container-tools.ts'
import type { ImagesSubject } from './images-contract.ts'
import { imagesContract } from './images-contract.ts'
import { sandboxSubject } from './subjects.ts'

const image = (letter: string): string => `quay.io/team/${letter}@sha256:${letter.repeat(64)}`
const [a, b] = [image('a'), image('b')]
const { signal } = new AbortController()
const dropin = '/etc/crio/crio.conf.d/50-pinned-images'

const simulated = (
  images: SimulatedImages,
  close = async (): Promise<void> => {},
): ImagesSubject => ({
  images,
  runtime: 'crio',
  remove: (each) => images.remove(each),
  breakPull: (each) => images.setPullable(each, false),
  close,
})

interface Linux {
  readonly host: MemoryHost
  readonly tools: ContainerTools
  readonly images: LinuxImages
}

function linux(runtime: ContainerRuntime): Linux {
  const host = new MemoryHost()
  const tools = new ContainerTools(runtime)
  host.files.seed(`/run/${runtime}`, { type: 'directory', mode: 0o755, uid: 0, gid: 0 })
  host.files.seed(`/run/${runtime}/${runtime}.sock`, { type: 'other' })
  const units = new LinuxUnits(tools)
  return { host, tools, images: new LinuxImages({ files: host.files, units, runner: tools }) }
}

const linuxSubject = (runtime: ContainerRuntime): ImagesSubject => {
  const { tools, images } = linux(runtime)
  return {
    images,
    runtime,
    remove: async (each) => tools.remove(each),
    async breakPull(each) {
      tools.broken.add(each)
    },
    close: async () => {},
  }
}

describe('images in memory', () => {
  imagesContract(async () => simulated(new MemoryHost().images))
})
describe('images of a sandbox', () => {
  imagesContract(async () => {
    const sandbox = await sandboxSubject(true)
    return simulated(sandbox.host.images as SimulatedImages, () => sandbox.close())
  })
})
describe('images of CRI-O', () => {
  imagesContract(async () => linuxSubject('crio'))
})
describe('images of containerd', () => {
  imagesContract(async () => linuxSubject('containerd'))
})

describe('the pins of CRI-O', () => {
  it('equal the file of MCO byte for byte, and CRI-O is reloaded', async () => {
    const { host, tools, images } = linux('crio')
    await images.setPins([a, b])
    expect(Buffer.from(await host.files.read(dropin)).toString()).toBe(
      `[crio]
  [crio.image]
    pinned_images = ["quay.io/team/a@sha256:${'a'.repeat(64)}", "quay.io/team/b@sha256:${'b'.repeat(64)}"]
`,
    )
    expect(await host.files.stat(dropin)).toMatchObject({ mode: 0o644, uid: 0, gid: 0 })
    await images.setPins([a, b])
    await images.setPins([])
    expect(await host.files.stat(dropin)).toBeUndefined()
    const reload = 'systemctl reload -- crio.service'
    expect(tools.ran).toEqual([reload, reload, reload])
  })

  it('are restored after another writer changes the file', async () => {
    const { host, images } = linux('crio')
    await images.setPins([a])
    const file = { content: await host.files.read(dropin), mode: 0o600, uid: 0, gid: 0 }
    await host.files.write(dropin, file)
    expect(await images.hasPins([a])).toBe(false)
    await host.files.write(dropin, { ...file, mode: 0o644, content: Buffer.from('[crio]\n') })
    expect(await images.hasPins([a])).toBe(false)
    await images.setPins([a])
    expect(await images.hasPins([a])).toBe(true)
  })
})

describe('the pins of containerd', () => {
  it('are labels, and other labels stay unchanged', async () => {
    const { tools, images } = linux('containerd')
    await images.pull(a, signal)
    await images.pull(b, signal)
    tools.labels.get(b)!.set('io.cri-containerd.pinned', 'pinned')
    await images.setPins([a])
    const id = `sha256:0${'a'.repeat(63)}`
    expect(tools.ran.at(-1)).toBe(
      `ctr --namespace=k8s.io images label ${id} io.cri-containerd.pinned=pinned machinist.dev/pinned=true`,
    )
    expect(tools.labels.get(a)).toEqual(new Map())
    await images.setPins([])
    expect(tools.labels.get(id)).toEqual(new Map())
    expect(tools.labels.get(b)).toEqual(new Map([['io.cri-containerd.pinned', 'pinned']]))
  })

  it('are set for all present images, and a missing image is named in the error', async () => {
    const { tools, images } = linux('containerd')
    await images.pull(b, signal)
    await expect(images.setPins([a, b])).rejects.toThrow(
      `cannot pin ${a}: the image is not on the machine`,
    )
    expect(tools.labels.get(`sha256:0${'b'.repeat(63)}`)?.size).toBe(2)
    expect(await images.hasPins([a, b])).toBe(false)
    expect(await images.hasPins([b])).toBe(true)
  })
})

describe('a linux machine', () => {
  it('without a runtime fails', async () => {
    const host = new MemoryHost()
    const tools = new ContainerTools('crio')
    const images = new LinuxImages({ files: host.files, units: host.units, runner: tools })
    expect(await images.runtime()).toBeUndefined()
    await expect(images.present([a])).rejects.toThrow(
      'no container runtime listens at /run/crio/crio.sock or /run/containerd/containerd.sock',
    )
    expect(tools.ran).toEqual([])
  })

  it('inspects images that are not in the list', async () => {
    const { tools, images } = linux('crio')
    tools.pulled.add(a)
    tools.otherNames.add(b)
    expect(await images.present([a, b])).toEqual(new Set([a, b]))
    expect(tools.ran.map((line) => line.split(' ')[4])).toEqual(['images', 'inspecti'])
  })

  it('reports the free space and the size of images', async () => {
    const { tools, images } = linux('crio')
    expect(await images.freeBytes()).toBe(26214400 * 4096)
    expect(tools.ran.at(-1)).toBe('stat -f -c %a %S -- /var/lib/containers/storage/overlay-images')
    expect(await images.layers(a, signal)).toEqual(
      new Map([
        ['sha256:1', 3000],
        ['sha256:2', 500],
      ]),
    )
    expect(tools.ran.at(-1)).toBe(`podman manifest inspect ${a}`)
    tools.hasPodman = false
    expect(await images.layers(a, signal)).toBeUndefined()
  })

  it('uses the credentials of the kubelet, and the manifest of its architecture', async () => {
    const { host, tools, images } = linux('crio')
    const content = Buffer.from('{}')
    for (const path of ['/var', '/var/lib', '/var/lib/kubelet']) {
      await host.files.makeDirectory(path, { mode: 0o755, uid: 0, gid: 0 })
    }
    await host.files.write('/var/lib/kubelet/config.json', { content, mode: 0o600, uid: 0, gid: 0 })
    const of = (architecture: string, letter: string) => ({
      digest: `sha256:${letter.repeat(64)}`,
      platform: { architecture, os: 'linux' },
    })
    const manifests = [of('arm64', '1'), of('amd64', '2')]
    tools.manifests.set(a, JSON.stringify({ schemaVersion: 2, manifests }))
    expect(await images.layers(a, signal)).toEqual(
      new Map([
        ['sha256:1', 3000],
        ['sha256:2', 500],
      ]),
    )
    expect(tools.ran.slice(-2)).toEqual([
      `podman manifest inspect --authfile=/var/lib/kubelet/config.json ${a}`,
      `podman manifest inspect --authfile=/var/lib/kubelet/config.json quay.io/team/a@sha256:${'2'.repeat(64)}`,
    ])
    tools.manifests.set(b, 'nonsense')
    expect(await images.layers(b, signal)).toBeUndefined()
  })

  it('rejects an invalid digest from a registry', async () => {
    const { tools, images } = linux('crio')
    const platform = { architecture: 'amd64', os: 'linux' }
    for (const digest of [`sha512:${'1'.repeat(128)}`, '--help', '']) {
      tools.manifests.set(a, JSON.stringify({ manifests: [{ digest, platform }] }))
      // A bad image must not block the pulls of other images.
      expect(await images.layers(a, signal)).toBeUndefined()
    }
  })
})
