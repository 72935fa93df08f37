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
  host.files.plant(`/run/${runtime}`, { type: 'directory', mode: 0o755, uid: 0, gid: 0 })
  host.files.plant(`/run/${runtime}/${runtime}.sock`, { type: 'other' })
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

describe('what CRI-O is told', () => {
  it('is byte for byte what the original writes, and followed by a reload', async () => {
    const { host, tools, images } = linux('crio')
    await images.keep([a, b])
    expect(Buffer.from(await host.files.read(dropin)).toString()).toBe(
      `[crio]
  [crio.image]
    pinned_images = ["quay.io/team/a@sha256:${'a'.repeat(64)}", "quay.io/team/b@sha256:${'b'.repeat(64)}"]
`,
    )
    expect(await host.files.look(dropin)).toMatchObject({ mode: 0o644, uid: 0, gid: 0 })
    await images.keep([a, b])
    await images.keep([])
    expect(await host.files.look(dropin)).toBeUndefined()
    const reload = 'systemctl reload -- crio.service'
    expect(tools.ran).toEqual([reload, reload, reload])
  })

  it('is noticed when somebody else changes it', async () => {
    const { host, images } = linux('crio')
    await images.keep([a])
    const file = { content: await host.files.read(dropin), mode: 0o600, uid: 0, gid: 0 }
    await host.files.write(dropin, file)
    expect(await images.keeps([a])).toBe(false)
    await host.files.write(dropin, { ...file, mode: 0o644, content: Buffer.from('[crio]\n') })
    expect(await images.keeps([a])).toBe(false)
    await images.keep([a])
    expect(await images.keeps([a])).toBe(true)
  })
})

describe('what containerd is told', () => {
  it('is a label, and nobody else’s labels change', async () => {
    const { tools, images } = linux('containerd')
    await images.pull(a, signal)
    await images.pull(b, signal)
    tools.labels.get(b)!.set('io.cri-containerd.pinned', 'pinned')
    await images.keep([a])
    const id = `sha256:0${'a'.repeat(63)}`
    expect(tools.ran.at(-1)).toBe(
      `ctr --namespace=k8s.io images label ${id} io.cri-containerd.pinned=pinned machinist.dev/pinned=true`,
    )
    expect(tools.labels.get(a)).toEqual(new Map())
    await images.keep([])
    expect(tools.labels.get(id)).toEqual(new Map())
    expect(tools.labels.get(b)).toEqual(new Map([['io.cri-containerd.pinned', 'pinned']]))
  })

  it('is for all that are there, and what is gone is named', async () => {
    const { tools, images } = linux('containerd')
    await images.pull(b, signal)
    await expect(images.keep([a, b])).rejects.toThrow(`${a} is gone, and cannot be kept`)
    expect(tools.labels.get(`sha256:0${'b'.repeat(63)}`)?.size).toBe(2)
    expect(await images.keeps([a, b])).toBe(false)
    expect(await images.keeps([b])).toBe(true)
  })
})

describe('a linux machine', () => {
  it('without a runtime says so', async () => {
    const host = new MemoryHost()
    const tools = new ContainerTools('crio')
    const images = new LinuxImages({ files: host.files, units: host.units, runner: tools })
    expect(await images.runtime()).toBeUndefined()
    await expect(images.present([a])).rejects.toThrow(
      'no container runtime listens at /run/crio/crio.sock nor at /run/containerd/containerd.sock',
    )
    expect(tools.ran).toEqual([])
  })

  it('asks by name for what is not in the list', async () => {
    const { tools, images } = linux('crio')
    tools.pulled.add(a)
    tools.otherNames.add(b)
    expect(await images.present([a, b])).toEqual(new Set([a, b]))
    expect(tools.ran.map((line) => line.split(' ')[4])).toEqual(['images', 'inspecti'])
  })

  it('knows how much room there is, and how much an image takes', async () => {
    const { tools, images } = linux('crio')
    expect(await images.room()).toBe(26214400 * 4096)
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

  it('logs in where the kubelet does, and takes its own of several architectures', async () => {
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

  it('takes no digest from a registry that it would not take from anybody else', async () => {
    const { tools, images } = linux('crio')
    const platform = { architecture: 'amd64', os: 'linux' }
    for (const digest of [`sha512:${'1'.repeat(128)}`, '--help', '']) {
      tools.manifests.set(a, JSON.stringify({ manifests: [{ digest, platform }] }))
      // What one image is like must not keep others from being pulled.
      expect(await images.layers(a, signal)).toBeUndefined()
    }
  })
})
