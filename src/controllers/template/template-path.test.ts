import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { machineConfigName, readTemplatePath, targetKey } from './template-path.ts'

describe('the path of a template', () => {
  it.each([
    [
      'common/00/_base/files/etc/kubernetes/ca.crt.liquid',
      {
        scope: 'common',
        part: '00',
        platform: '_base',
        target: { type: 'file', path: '/etc/kubernetes/ca.crt' },
      },
    ],
    [
      'worker/01-kubelet/vsphere/units/kubelet.service.liquid',
      {
        scope: 'worker',
        part: '01-kubelet',
        platform: 'vsphere',
        target: { type: 'unit', unit: 'kubelet.service' },
      },
    ],
    [
      'arbiter/05-mine/on-prem/units/getty@.service.d/10-a.conf.liquid',
      {
        scope: 'arbiter',
        part: '05-mine',
        platform: 'on-prem',
        target: { type: 'dropin', unit: 'getty@.service', dropin: '10-a.conf' },
      },
    ],
    [
      'master/00/two-node-with-fencing/extensions/two-node-ha.liquid',
      {
        scope: 'master',
        part: '00',
        platform: 'two-node-with-fencing',
        target: { type: 'extension', extension: 'two-node-ha' },
      },
    ],
  ])('%s has a scope, a part, a platform and a target', (path, expected) => {
    expect(readTemplatePath(path)).toEqual(expected)
  })

  it.each([
    ['notes.liquid', /^is not a template: templates are at <role>/],
    ['common/00/_base/files/etc/x', /^is not a template/],
    ['common/00/_base/files/etc/x.liquid~', /^is not a template/],
    [
      'infra/00/_base/files/x.liquid',
      /^is for "infra"; the first directory is common, master, worker, arbiter$/,
    ],
    ['worker/kubelet/_base/files/x.liquid', /^has part "kubelet"/],
    [
      'worker/00/amazon/files/x.liquid',
      /^is for platform "amazon"; known platforms are _base, on-prem,/,
    ],
    ['worker/00/_base/scripts/x.liquid', /^is in "scripts"; use files, units or extensions/],
    ['worker/00/_base/units/kubelet.liquid', /^does not have the name of a systemd unit$/],
    ['worker/00/_base/units/a.service.d/10-a.liquid', /^is not a drop-in/],
    ['worker/00/_base/units/a.service.d/b/c.conf.liquid', /^is not a drop-in/],
    ['worker/00/_base/extensions/a/b.liquid', /^is too deep/],
  ])('%s is refused', (path, why) => {
    expect(readTemplatePath(path)).toMatch(why)
  })

  it('is parsed or rejected, with any text', () => {
    const part = fc.oneof(
      fc.constantFrom('common', 'worker', '00', '_base', 'files', 'units', '.liquid'),
      fc.string(),
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        const read = readTemplatePath(`${parts.join('/')}.liquid`)
        expect(typeof read === 'string' ? read : targetKey(read.target)).not.toBe('')
      }),
    )
  })

  it.each([
    ['00', 'worker', '00-worker'],
    ['01-kubelet', 'master', '01-master-kubelet'],
    ['01-container-runtime', 'infra', '01-infra-container-runtime'],
  ])('%s of %s is MachineConfig %s', (part, role, name) => {
    expect(machineConfigName(part, role)).toBe(name)
  })
})
