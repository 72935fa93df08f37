import { expect, it } from 'vitest'
import type { Config } from '@machinist/ignition/spec/config'
import type { Path } from '@machinist/ignition/report/report'
import { encodeProvenance } from '../../planner/provenance/provenance.ts'
import { lostFields } from './lost-fields.ts'

const config: Config = {
  ignition: { version: '3.5.0' },
  storage: { files: [{ path: '/a' }], luks: [{ name: 'data' }] },
  systemd: { units: [{ name: 'a.service', dropins: [{ name: '1.conf' }] }] },
  passwd: { users: [{ name: 'core' }] },
}
const provenance = encodeProvenance({
  file: { '/a': '10-file' },
  unit: { 'a.service': '20-unit' },
  dropin: { 'a.service/1.conf': '30-dropin' },
  sshKeys: { core: '40-keys' },
})
const annotations = { 'machinist.dev/provenance': provenance }

it.each<[Path, string, string | undefined]>([
  [['storage', 'files', 0, 'mode'], '$.storage.files[0].mode', '10-file'],
  [['storage', 'files', 9], '$.storage.files[9]', undefined],
  [['systemd', 'units', 0, 'mask'], '$.systemd.units[0].mask', '20-unit'],
  [['systemd', 'units', 0, 'dropins', 0], '$.systemd.units[0].dropins[0]', '30-dropin'],
  [['passwd', 'users', 0, 'shouldExist'], '$.passwd.users[0].shouldExist', '40-keys'],
  [['storage', 'luks', 0, 'discard'], '$.storage.luks[0].discard', undefined],
  [['ignition', 'proxy'], '$.ignition.proxy', undefined],
  [['constructor', 'name', 0], '$.constructor.name[0]', undefined],
])('the field %j is %s of MachineConfig %s', (path, field, machineConfig) => {
  const rendered = { metadata: { name: 'rendered-worker-1', annotations } }
  expect(lostFields([{ path, why: 'is new' }], config, rendered)).toEqual([
    { field, problem: 'is new', ...(machineConfig && { machineConfig }) },
  ])
})

it('a config without provenance has fields without origins', () => {
  const rendered = { metadata: { name: 'rendered-worker-1' } }
  const reasons = [{ path: ['storage', 'files', 0], why: 'is new' }]
  expect(lostFields(reasons, config, rendered)).toEqual([
    { field: '$.storage.files[0]', problem: 'is new' },
  ])
})
