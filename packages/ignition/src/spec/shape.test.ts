import { describe, expect, it } from 'vitest'
import type { Field, StructShape } from './field.ts'
import { configShape } from './shape.ts'

/** Every field by its path. */
const fields = new Map<string, Field>()
collect(configShape, '')

const namesOf = (wanted: (field: Field) => boolean): string[] =>
  [...fields].filter(([, field]) => wanted(field)).map(([name]) => name)

const isList = (field: Field): field is Extract<Field, { unique: boolean }> =>
  field.type === 'strings' || field.type === 'items'

describe('the table of the spec', () => {
  it('defines the fields that each version introduced', () => {
    const bySpec = Map.groupBy(fields, ([, { since = '3.0' }]) => since)
    const brought = (spec: string): string[] =>
      (bySpec.get(spec as '3.1') ?? [])
        .map(([name]) => name)
        .filter((name) => !name.endsWith('httpHeaders'))
    expect(brought('3.1')).toEqual([
      'ignition.config.merge.compression',
      'ignition.config.replace.compression',
      'ignition.proxy',
      'ignition.security.tls.certificateAuthorities.compression',
      'storage.filesystems.mountOptions',
    ])
    expect(brought('3.2')).toEqual([
      'passwd.groups.shouldExist',
      'passwd.users.shouldExist',
      'storage.disks.partitions.resize',
      'storage.luks',
    ])
    expect(brought('3.3')).toEqual(['kernelArguments'])
    expect(brought('3.4')).toEqual([
      'storage.luks.clevis.tang.advertisement',
      'storage.luks.discard',
      'storage.luks.openOptions',
    ])
    expect(brought('3.5')).toEqual(['storage.luks.cex'])
  })

  it('defines headers of a resource since 3.1', () => {
    const headers = [...fields].filter(([name]) => name.endsWith('httpHeaders'))
    expect(headers).toHaveLength(6)
    expect(headers.every(([, { since }]) => since === '3.1')).toBe(true)
  })

  it('defines the lists in which duplicates are allowed', () => {
    expect(namesOf((field) => isList(field) && !field.unique)).toEqual([
      'storage.files.append',
      'storage.filesystems.mountOptions',
      'storage.filesystems.options',
      'storage.luks.options',
      'storage.raid.options',
    ])
  })

  it('defines the lists that share their keys', () => {
    const spaceOf = (name: string): string | undefined => {
      const field = fields.get(name)
      return field && isList(field) ? field.keySpace : undefined
    }
    expect(namesOf((field) => isList(field) && field.keySpace !== undefined)).toEqual([
      'kernelArguments.shouldExist',
      'kernelArguments.shouldNotExist',
      'storage.directories',
      'storage.files',
      'storage.links',
    ])
    expect(spaceOf('storage.files')).toBe(spaceOf('storage.links'))
    expect(spaceOf('storage.files')).toBe(spaceOf('storage.directories'))
    expect(spaceOf('storage.files')).not.toBe(spaceOf('kernelArguments.shouldExist'))
  })

  it('defines the keys of items', () => {
    const { disks, files, luks } = configShape.storage.shape
    expect(files.key({ path: '/a' })).toBe('/a')
    expect(disks.key({ device: '/dev/a' })).toBe('/dev/a')
    expect(luks.key({ name: 'a' })).toBe('a')
    const { partitions } = disks.shape
    expect(partitions.key({ number: 2, label: 'a' })).toBe('number:2')
    expect(partitions.key({ number: 0, label: 'a' })).toBe('label:a')
    expect(partitions.key({})).toBe('')
    expect(configShape.ignition.shape.config.shape.merge.key({})).toBe('')
  })

  it('defines the required fields', () => {
    expect(
      namesOf((field) => 'required' in field).filter((name) => !name.includes('httpHeaders')),
    ).toEqual([
      'ignition.version',
      'passwd.groups.name',
      'passwd.users.name',
      'storage.directories.path',
      'storage.disks.device',
      'storage.files.path',
      'storage.filesystems.device',
      'storage.links.path',
      'storage.luks.name',
      'storage.raid.name',
      'systemd.units.name',
      'systemd.units.dropins.name',
    ])
  })
})

function collect(shape: StructShape, prefix: string): void {
  for (const [name, field] of Object.entries(shape)) {
    fields.set(prefix + name, field)
    if ('shape' in field) collect(field.shape, `${prefix}${name}.`)
  }
}
