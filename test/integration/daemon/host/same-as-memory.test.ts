import * as fs from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { realDisk } from '../../../../src/daemon/host/files/disk.ts'
import type { HostFiles } from '../../../../src/daemon/host/host.ts'
import { MemoryFiles } from '../../../../src/daemon/host/memory/memory-files.ts'
import { RootedFiles } from '../../../../src/daemon/host/files/rooted-files.ts'

/** Uses the current owner, so that ordinary users can run this test. */
const owner = { uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0 }

const part = fc.constantFrom('a', 'b', 'c')
const path = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => `/${parts.join('/')}`)
const target = fc.oneof(path, fc.constantFrom('.', '..', '../..', 'a', 'b/c', '../a', '/', 'a/..'))
const mode = fc.constantFrom(0o600, 0o644, 0o755, 0o700)

type Operation = (files: HostFiles) => Promise<unknown>
const operation: fc.Arbitrary<readonly [name: string, run: Operation]> = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(path, mode).map(makeDirectory) },
  { weight: 3, arbitrary: fc.tuple(path, fc.string({ maxLength: 3 }), mode).map(write) },
  { weight: 3, arbitrary: fc.tuple(path, target).map(link) },
  { weight: 1, arbitrary: fc.tuple(path, fc.string({ maxLength: 3 })).map(append) },
  { weight: 2, arbitrary: fc.tuple(path, path).map(move) },
  { weight: 1, arbitrary: path.map(remove) },
  { weight: 1, arbitrary: path.map(removeDirectory) },
  { weight: 1, arbitrary: fc.tuple(path, mode).map(change) },
  { weight: 1, arbitrary: path.map(read) },
  { weight: 1, arbitrary: path.map(list) },
)

type Named = readonly [name: string, run: Operation]

function write([at, content, how]: readonly [string, string, number]): Named {
  const file = { content: Buffer.from(content), mode: how, ...owner }
  return [`write ${at} ${how.toString(8)}`, (files) => files.write(at, file)]
}

function append([at, content]: readonly [string, string]): Named {
  return [`append ${at}`, (files) => files.append(at, Buffer.from(content))]
}

function link([at, to]: readonly [string, string]): Named {
  return [`link ${at} ${to}`, (files) => files.link(at, to)]
}

function move([from, to]: readonly [string, string]): Named {
  return [`move ${from} ${to}`, (files) => files.move(from, to)]
}

function remove(at: string): Named {
  return [`remove ${at}`, (files) => files.remove(at)]
}

function makeDirectory([at, how]: readonly [string, number]): Named {
  return [`mkdir ${at}`, (files) => files.makeDirectory(at, { mode: how, ...owner })]
}

function removeDirectory(at: string): Named {
  return [`rmdir ${at}`, (files) => files.removeDirectory(at)]
}

function change([at, how]: readonly [string, number]): Named {
  return [`change ${at}`, (files) => files.change(at, { mode: how, ...owner })]
}

function read(at: string): Named {
  return [`read ${at}`, async (files) => Buffer.from(await files.read(at)).toString()]
}

function list(at: string): Named {
  return [`list ${at}`, (files) => files.list(at)]
}

let scratch: string
let count = 0
beforeAll(async () => {
  scratch = await fs.mkdtemp(join(tmpdir(), 'machinist-model-'))
})
afterAll(() => fs.rm(scratch, { recursive: true, force: true }))

it('the file system in memory behaves as a real one, including failures', async () => {
  const quick = quickDisk()
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { minLength: 5, maxLength: 40 }), async (operations) => {
      const root = join(scratch, String(++count))
      await fs.mkdir(root)
      const real = new RootedFiles({ disk: quick, root })
      const model = new MemoryFiles()
      for (const [name, run] of operations) {
        expect([name, await outcome(run, model)]).toEqual([name, await outcome(run, real)])
      }
      expect(await tree(model, '/')).toEqual(await tree(real, '/'))
    }),
    { numRuns: 150 },
  )
})

/** Without fsync: this test is not about durability. */
function quickDisk(): typeof realDisk {
  return {
    ...realDisk,
    async open(at, flags, how) {
      const file = await realDisk.open(at, flags, how)
      return { ...file, sync: () => Promise.resolve() }
    },
  }
}

async function outcome(run: Operation, files: HostFiles): Promise<unknown> {
  try {
    return { done: await run(files) }
  } catch (error) {
    return { failed: (error as NodeJS.ErrnoException).code }
  }
}

/** Links in memory belong to root, real ones to the current user. */
async function tree(files: HostFiles, directory: string): Promise<unknown> {
  const found: Record<string, unknown> = {}
  for (const name of await files.list(directory)) {
    const at = directory === '/' ? `/${name}` : `${directory}/${name}`
    const entry = await files.stat(at)
    const inside = entry?.type === 'directory' ? await tree(files, at) : undefined
    found[name] = { ...entry, ...(entry?.type === 'symlink' && owner), inside }
  }
  return found
}
