import { describe, expect, it } from 'vitest'
import { encodeDataUrl } from '@machinist/core/encoding/data-url'
import type { MachineConfig } from '../../api/kinds/resources.ts'
import { kubeletConfIn, kubeletConfText, without } from './kubelet-conf.ts'

function made(text: string, path = '/etc/kubernetes/kubelet.conf'): MachineConfig {
  const files = [{ path, contents: { source: encodeDataUrl(text) } }]
  return {
    metadata: { name: '01-worker-kubelet' },
    spec: { config: { ignition: { version: '3.2.0' }, storage: { files } } },
  }
}

describe('kubelet.conf', () => {
  it('is read from a MachineConfig as YAML or JSON', () => {
    expect(kubeletConfIn(made('maxPods: 110\n# why\n'))).toEqual({ maxPods: 110 })
    expect(kubeletConfIn(made('{"maxPods":110}'))).toEqual({ maxPods: 110 })
    expect(kubeletConfIn(made('maxPods: 110', '/etc/other'))).toBeUndefined()
  })

  it.each([
    ['- a', /kubelet\.conf in MachineConfig 01-worker-kubelet is not a KubeletConfiguration$/],
    ['', /is not a KubeletConfiguration$/],
    ['a: [', /kubelet\.conf in MachineConfig 01-worker-kubelet: not valid YAML/],
  ])('cannot be %j', (text, problem) => {
    expect(() => kubeletConfIn(made(text))).toThrow(problem)
  })

  it('is the same for any order of keys', () => {
    const text = [
      'apiVersion: kubelet.config.k8s.io/v1beta1',
      'featureGates:',
      '  A: true',
      '  B: false',
      'kind: KubeletConfiguration',
      'registerWithTaints:',
      '  - effect: NoSchedule',
      '    key: a',
      '',
    ].join('\n')
    const registerWithTaints = [{ key: 'a', effect: 'NoSchedule' }]
    expect(kubeletConfText({ registerWithTaints, featureGates: { B: false, A: true } })).toBe(text)
    expect(
      kubeletConfText({ kind: 'x', featureGates: { A: true, B: false }, registerWithTaints }),
    ).toBe(text)
    expect(kubeletConfText(kubeletConfIn(made(text))!)).toBe(text)
  })

  it('keeps strings that look like other types', () => {
    const conf = { podPidsLimit: 1, systemReserved: { pid: '1000', cpu: '1e3' }, providerID: 'yes' }
    expect(kubeletConfIn(made(kubeletConfText(conf)))).toMatchObject(conf)
  })
})

it('only the given field is removed', () => {
  const conf = { a: 1, b: 2 }
  expect(without(conf, 'a')).toEqual({ b: 2 })
  expect(without(conf, 'toString')).toBe(conf)
})
