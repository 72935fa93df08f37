import { describe, expect, it } from 'vitest'
import { fileWith, ignition, inputOf, noImages } from './render-inputs.fixture.ts'
import { Renderer, renderInputs } from './renderer.ts'

describe('rendering', () => {
  it('reports errors of the merged config', () => {
    const unit = { systemd: { units: [{ name: 'x.service', contents: '[Unit]\n' }] } }
    const { problems } = renderInputs(
      'worker',
      [
        inputOf('a', ignition(unit, '3.4.0')),
        inputOf('b', fileWith('/etc/systemd/system/x.service', 'y')),
        inputOf('c', { kernelType: 'realtime', extensions: ['kernel-devel'] }),
      ],
      noImages,
    )
    expect(problems).toHaveLength(2)
    expect(problems[0]).toBe(
      'spec.extensions: the extension kernel-devel needs the default kernel, but kernelType is realtime',
    )
    expect(problems[1]).toMatch(/^spec\.config\.\w+/)
  })

  it('gives equal specs of different pools equal digests', () => {
    const inputs = [inputOf('a', fileWith('/x', 'y'))]
    const [worker, infra] = ['worker', 'infra'].map((pool) => renderInputs(pool, inputs, noImages))
    expect(worker!.digest).toBe(infra!.digest)
    expect(infra!.name).toBe(`rendered-infra-${worker!.digest}`)
  })

  it.each([
    ['4.12', '3.2.0'],
    ['4.16', '3.4.0'],
    ['main', '3.5.0'],
  ] as const)('is for %s in Ignition %s, under the same name', (release, version) => {
    const inputs = [inputOf('a', fileWith('/x', 'y')), inputOf('b', { kernelArguments: ['nosmt'] })]
    const { spec, name, losses } = renderInputs('worker', inputs, noImages, release)
    expect(spec.config.ignition.version).toBe(version)
    expect(name).toBe(renderInputs('worker', inputs, noImages).name)
    expect(losses).toEqual([])
  })

  it('names field and MachineConfig that the release cannot express', () => {
    const luks = { storage: { luks: [{ name: 'root', device: '/dev/sda', discard: true }] } }
    const inputs = [inputOf('a', fileWith('/x', 'y')), inputOf('99-luks', ignition(luks, '3.4.0'))]
    expect(renderInputs('worker', inputs, noImages, '4.16').losses).toEqual([])
    expect(renderInputs('worker', inputs, noImages, '4.12').losses).toEqual([
      'spec.config.storage.luks[0].discard needs version 3.4.0 or later (from MachineConfig 99-luks)',
    ])
  })

  it('has the size in bytes', () => {
    const size = (text: string): number =>
      renderInputs('worker', [inputOf('a', fileWith('/x', text))], noImages).size
    expect(size('x'.repeat(1001)) - size('x')).toBe(1000)
  })
})

describe('a renderer', () => {
  it('returns the cached result while nothing changes', () => {
    const renderer = new Renderer()
    const [a, b] = [inputOf('a'), inputOf('b', { fips: true })]
    const first = renderer.render('worker', [a, b], noImages)
    expect(renderer.render('worker', [a, b], { ...noImages })).toBe(first)
    expect(renderer.render('infra', [a, b], noImages)).not.toBe(first)
    const other = renderer.render('worker', [a], noImages)
    expect(other.spec.fips).toBe(false)
    const image = renderer.render('worker', [a], { ...noImages, osImageURL: 'new' })
    expect(image.spec.osImageURL).toBe('new')
    renderer.forget('worker')
    expect(renderer.render('worker', [a], { ...noImages, osImageURL: 'new' })).not.toBe(image)
  })
})
