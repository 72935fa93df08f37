import { existsSync } from 'node:fs'
import * as fs from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '@machinist/core/clock'
import { realDisk } from '../../../../src/daemon/host/files/disk.ts'
import { RootedFiles } from '../../../../src/daemon/host/files/rooted-files.ts'
import { systemctlLinks } from '../../../../src/daemon/host/sandbox/systemctl-links.ts'
import type { UnitLinks } from '../../../../src/daemon/host/simulated/unit-links.ts'
import { PlainUnitLinks } from '../../../../src/daemon/host/simulated/unit-links.ts'

const names = ['a.service', 'b.service', 'c.socket', 't@.service'] as const
const instances = [...names, 't@one.service', 'gone.service', 'alias.service']
const targets = ['x.target', 'y.target', 'b.service']

interface UnitFile {
  readonly name: string
  readonly where: 'etc' | 'usr/lib'
  readonly lines: readonly string[]
}

const list = (key: string, from: readonly string[]): fc.Arbitrary<string> =>
  fc.subarray([...from], { minLength: 1 }).map((members) => `${key}=${members.join(' ')}`)
const line = fc.oneof(
  { weight: 4, arbitrary: list('WantedBy', targets) },
  { weight: 2, arbitrary: list('RequiredBy', targets) },
  { weight: 1, arbitrary: list('Also', ['a.service', 'b.service']) },
  { weight: 1, arbitrary: fc.constantFrom('WantedBy=', '# WantedBy=no.target', '[Other]') },
)
const unitFile: fc.Arbitrary<UnitFile> = fc.record({
  name: fc.constantFrom(...names),
  where: fc.constantFrom('etc', 'usr/lib'),
  lines: fc.array(line, { maxLength: 4 }),
})

type Verb = 'enable' | 'disable' | 'preset'
const step = fc.record({
  verb: fc.constantFrom<Verb>('enable', 'enable', 'disable', 'preset'),
  unit: fc.constantFrom(...instances),
})
const preset = fc.array(
  fc
    .tuple(fc.constantFrom('enable', 'disable'), fc.constantFrom('*', 'a.*', '?.service', '[bc].*'))
    .map((words) => words.join(' ')),
  { maxLength: 3 },
)

let scratch: string
let count = 0
beforeAll(async () => {
  scratch = await fs.mkdtemp(join(tmpdir(), 'machinist-units-'))
})
afterAll(() => fs.rm(scratch, { recursive: true, force: true }))

describe.runIf(existsSync('/usr/bin/systemctl'))('the links of PlainUnitLinks', () => {
  it('equal those of systemctl', { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(unitFile, { minLength: 1, maxLength: 5 }),
        preset,
        fc.array(step, { minLength: 1, maxLength: 5 }),
        async (units, rules, steps) => {
          const [plainRoot, systemctlRoot] = [
            await newRoot(units, rules),
            await newRoot(units, rules),
          ]
          const plain = new PlainUnitLinks(new RootedFiles({ disk: realDisk, root: plainRoot }))
          const systemctl = (await systemctlLinks(systemClock, systemctlRoot))!
          for (const { verb, unit } of steps) {
            const expected = [verb, unit, await outcome(systemctl, verb, unit)]
            expect([verb, unit, await outcome(plain, verb, unit)]).toEqual(expected)
          }
          expect(await linksIn(plainRoot)).toEqual(await linksIn(systemctlRoot))
          for (const unit of instances) {
            const expected = [unit, await systemctl.enablement(unit)]
            expect([unit, await plain.enablement(unit)]).toEqual(expected)
          }
        },
      ),
      { numRuns: 15 },
    )
  })
})

async function newRoot(units: readonly UnitFile[], rules: readonly string[]): Promise<string> {
  const root = join(scratch, String(++count))
  for (const directory of ['etc/systemd/system', 'usr/lib/systemd/system']) {
    await fs.mkdir(join(root, directory), { recursive: true })
  }
  await fs.mkdir(join(root, 'usr/lib/systemd/system-preset'))
  for (const { name, where, lines } of units) {
    const template = name.includes('@') ? ['DefaultInstance=two'] : []
    const text = ['[Service]', '[Install]', ...template, ...lines, ''].join('\n')
    await fs.writeFile(join(root, where, 'systemd/system', name), text)
  }
  const text = rules.map((rule) => `${rule}\n`).join('')
  await fs.writeFile(join(root, 'usr/lib/systemd/system-preset/10.preset'), text)
  return root
}

async function outcome(links: UnitLinks, verb: Verb, unit: string): Promise<string> {
  try {
    await links[verb]([unit])
    return 'done'
  } catch {
    return 'failed'
  }
}

async function linksIn(root: string): Promise<Record<string, string>> {
  const etc = join(root, 'etc/systemd/system')
  const found: Record<string, string> = {}
  for (const name of await fs.readdir(etc, { recursive: true })) {
    const stats = await fs.lstat(join(etc, name))
    if (stats.isSymbolicLink()) found[name] = await fs.readlink(join(etc, name))
    if (stats.isDirectory()) found[name] = '/'
  }
  return found
}
