import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises'
import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { realDisk } from '../../../src/daemon/host/files/disk.ts'
import { RootedFiles } from '../../../src/daemon/host/files/rooted-files.ts'
import type { Fault } from '../../../src/daemon/host/faults.fixture.ts'
import { deathCode, faultyDisk, Faults } from '../../../src/daemon/host/faults.fixture.ts'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'machinist-faults-'))
})
afterEach(() => rm(root, { recursive: true, force: true }))

const file = { content: Buffer.from('half|half'), mode: 0o640, uid: 0, gid: 0 }
const filesWith = (faults: Faults): RootedFiles =>
  new RootedFiles({ disk: faultyDisk(realDisk, faults), root })

async function operationsOfAWrite(): Promise<readonly string[]> {
  const faults = new Faults()
  await filesWith(faults).write('/x', file)
  await rm(join(root, 'x'))
  return faults.operations
}

describe('faults', () => {
  it('names every system call of a write', async () => {
    const operations = await operationsOfAWrite()
    expect(operations).toContain(`rename ${root}/.x.machinist`)
    expect(operations).toContain(`write ${root}/.x.machinist`)
  })

  it('fails the Nth operation once', async () => {
    const at = (await operationsOfAWrite()).indexOf(`write ${root}/.x.machinist`) + 1
    const files = filesWith(new Faults({ at, fail: 'ENOSPC' }))
    await expect(files.write('/x', file)).rejects.toMatchObject({ code: 'ENOSPC' })
    expect(await readdir(root)).toEqual([])
    await files.write('/x', file)
    expect(await readFile(join(root, 'x'), 'utf8')).toBe('half|half')
  })

  it('fails every operation from the Nth on', async () => {
    const files = filesWith(new Faults({ at: 2, fail: 'EIO', always: true }))
    await expect(files.write('/x', file)).rejects.toMatchObject({ code: 'EIO' })
    await expect(files.read('/x')).rejects.toMatchObject({ code: 'EIO' })
  })

  it('counts only the selected operations', async () => {
    const only = (operation: string): boolean => operation.startsWith('rename ')
    const files = filesWith(new Faults({ at: 2, fail: 'EIO', only }))
    await files.write('/x', file)
    await expect(files.write('/y', file)).rejects.toMatchObject({ code: 'EIO' })
  })

  it('freezes in the middle of a write: half of the content is written, and no promise settles', async () => {
    const only = (operation: string): boolean => operation.startsWith('write ')
    const faults = new Faults({ at: 1, die: 'within', by: 'freeze', only })
    const files = filesWith(faults)
    let settled = false
    const settle = (): void => void (settled = true)
    void files.write('/x', file).then(settle, settle)
    await faults.died
    expect(await readFile(join(root, '.x.machinist'), 'utf8')).toBe('half')
    void files.stat('/x').then(settle, settle)
    await new Promise((resolve) => setImmediate(resolve))
    expect(settled).toBe(false)
  })

  it.each([
    [{ die: 'before', by: 'kill' }, { signal: 'SIGKILL', status: null }, ['.x.machinist']],
    [{ die: 'after', by: 'kill' }, { signal: 'SIGKILL', status: null }, ['x']],
    [{ die: 'before', by: 'exit' }, { signal: null, status: deathCode }, ['.x.machinist']],
  ] as const)('ends the process with %j of a rename', async (death, ending, left) => {
    const at = (await operationsOfAWrite()).indexOf(`rename ${root}/.x.machinist`) + 1
    expect(writeInChild({ at, ...death })).toMatchObject(ending)
    expect(await readdir(root)).toEqual(left)
  })
})

function writeInChild(fault: Fault): unknown {
  const host = join(import.meta.dirname, '../../../src/daemon/host')
  const program = `
    import { faultyDisk, Faults } from '${host}/faults.fixture.ts'
    import { realDisk } from '${host}/files/disk.ts'
    import { RootedFiles } from '${host}/files/rooted-files.ts'
    const disk = faultyDisk(realDisk, new Faults(${JSON.stringify(fault)}))
    const files = new RootedFiles({ disk, root: ${JSON.stringify(root)} })
    await files.write('/x', { content: Buffer.from('x'), mode: 0o640, uid: 0, gid: 0 })`
  return spawnSync(process.execPath, ['--input-type=module', '-e', program])
}
