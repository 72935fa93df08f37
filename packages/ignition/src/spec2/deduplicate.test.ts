import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { arbitrarySpec2Config } from './arbitrary-config.fixture.ts'
import type { File, Spec2Config, Unit, User } from './config.ts'
import { deduplicate, foreignUsers } from './deduplicate.ts'

const of = (rest: Omit<Spec2Config, 'ignition'>): Spec2Config => ({
  ignition: { version: '2.2.0' },
  ...rest,
})
const files = (...all: File[]): File[] =>
  deduplicate(of({ storage: { files: all } })).storage!.files!
const units = (...all: Unit[]): Unit[] =>
  deduplicate(of({ systemd: { units: all } })).systemd!.units!
const users = (...all: User[]): User[] => deduplicate(of({ passwd: { users: all } })).passwd!.users!

describe('duplicate files', () => {
  const file = (path: string, source: string): File => ({
    filesystem: 'root',
    path,
    contents: { source },
  })

  it('are reduced to the last one', () => {
    expect(files(file('/a', 'data:,old'), file('/a', 'data:,new'))).toEqual([
      file('/a', 'data:,new'),
    ])
  })

  it('are in reverse order of their last entry', () => {
    const all = [file('/a', '1'), file('/b', '2'), file('/c', '3'), file('/a', '4')]
    expect(files(...all)).toEqual([file('/a', '4'), file('/c', '3'), file('/b', '2')])
  })

  it('keep the appended entries after the last one, in order', () => {
    const more = (source: string): File => ({ ...file('/a', source), append: true })
    const all = [more('0'), file('/a', '1'), more('2'), file('/b', '3'), more('4')]
    expect(files(...all)).toEqual([file('/a', '1'), more('2'), more('4'), file('/b', '3')])
    expect(files(more('2'), file('/a', '3'))).toEqual([file('/a', '3')])
  })
})

describe('duplicate units', () => {
  it('are reduced to the last one, with the drop-ins that only earlier ones have', () => {
    expect(
      units(
        { name: 'U', contents: 'old', dropins: [{ name: 'one', contents: 'old' }] },
        { name: 'U', dropins: [{ name: 'one', contents: 'new' }] },
        { name: 'U', contents: 'new', dropins: [{ name: 'two', contents: 'new' }] },
      ),
    ).toEqual([
      {
        name: 'U',
        contents: 'new',
        dropins: [
          { name: 'two', contents: 'new' },
          { name: 'one', contents: 'new' },
        ],
      },
    ])
  })

  it('are in reverse order', () => {
    expect(units({ name: 'a' }, { name: 'b' }, { name: 'c' }, { name: 'b', mask: true })).toEqual([
      { name: 'b', mask: true },
      { name: 'c' },
      { name: 'a' },
    ])
  })
})

describe('users', () => {
  it('have every SSH key once', () => {
    expect(users({ name: 'core', sshAuthorizedKeys: ['5678', '5678', 'abc'] })).toEqual([
      { name: 'core', sshAuthorizedKeys: ['5678', 'abc'] },
    ])
  })

  it('are reduced to the last one with the keys of all, the last first', () => {
    expect(
      users(
        { name: 'core', sshAuthorizedKeys: ['1', '2'], shell: '/bin/sh' },
        { name: 'core', sshAuthorizedKeys: ['3', '1'] },
      ),
    ).toEqual([{ name: 'core', sshAuthorizedKeys: ['3', '1', '2'] }])
  })

  it('other than core are reported', () => {
    const config = of({ passwd: { users: [{ name: 'core' }, { name: 'admin' }, {}] } })
    expect(foreignUsers(config).map(({ path }) => path)).toEqual([
      ['passwd', 'users', 1, 'name'],
      ['passwd', 'users', 2, 'name'],
    ])
  })
})

describe('for any config', () => {
  it('duplicates are removed, unique items are kept, and the input is not modified', () => {
    fc.assert(
      fc.property(arbitrarySpec2Config(), (config) => {
        const before = JSON.stringify(config)
        const { storage, systemd, passwd } = deduplicate(config)
        expect(JSON.stringify(config)).toBe(before)
        expect(storage?.files?.map(({ path }) => path).sort()).toEqual(
          unique(config.storage?.files?.map(({ path }) => path)),
        )
        expect(systemd?.units?.map(({ name }) => name).sort()).toEqual(
          unique(config.systemd?.units?.map(({ name }) => name)),
        )
        expect(passwd?.users?.flatMap((user) => user.sshAuthorizedKeys ?? []).sort()).toEqual(
          unique(config.passwd?.users?.flatMap((user) => user.sshAuthorizedKeys ?? [])),
        )
      }),
      { numRuns: 200 },
    )
  })

  it('deduplication is idempotent, up to the order', () => {
    fc.assert(
      fc.property(arbitrarySpec2Config(), (config) => {
        const once = deduplicate(config)
        const twice = deduplicate(once)
        expect(twice.storage?.files?.toReversed()).toEqual(once.storage?.files)
        expect(twice.systemd?.units?.toReversed()).toEqual(once.systemd?.units)
        expect(twice.passwd).toEqual(once.passwd)
      }),
      { numRuns: 100 },
    )
  })
})

function unique(items: readonly (string | undefined)[] | undefined): string[] | undefined {
  return items && [...new Set(items.map((item) => item ?? ''))].sort()
}
