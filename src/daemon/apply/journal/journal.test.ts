import { describe, expect, it } from 'vitest'
import { gzip } from '@machinist/core/encoding/bytes'
import { sha256Hex } from '@machinist/core/encoding/digest'
import { nodePaths } from '../../../api/node-paths.ts'
import { machineConfig, planned, spec } from '../../../planner/configs.fixture.ts'
import { faultyHost, Faults } from '../../host/faults.fixture.ts'
import { MemoryHost } from '../../host/memory/memory-host.ts'
import type { Intent } from '../intent.ts'
import { Journal } from './journal.ts'

const config = machineConfig('new', spec({}))
const intent: Intent = {
  format: 1,
  update: { plan: planned({}, {}), current: config, desired: config },
  bootId: 'boot',
  removed: [
    {
      path: '/etc/a',
      before: { type: 'file', mode: 0o644, uid: 0, gid: 0, digest: sha256Hex('content of a') },
      backup: { in: 'copy', number: 0, path: '/etc/a', digest: sha256Hex('content of a') },
      after: { type: 'absent' },
    },
  ],
  emptied: [],
  made: [],
  written: [],
  stored: [],
  passwords: [],
}

async function machine(content = 'content of a'): Promise<MemoryHost> {
  const host = new MemoryHost()
  await host.files.write('/etc/a', { content: Buffer.from(content), mode: 0o644, uid: 0, gid: 0 })
  return host
}

describe('the journal', () => {
  it('holds the intent, marks and copies, readable by root only', async () => {
    const { files } = await machine()
    const journal = new Journal(files)
    await journal.begin(intent)
    await journal.mark({ acting: 0 })
    expect(await journal.read()).toEqual({ intent, marks: [{ acting: 0 }] })
    expect(Buffer.from(await journal.copy(0)).toString()).toBe('content of a')
    expect(await files.stat(nodePaths.journal)).toMatchObject({ mode: 0o700 })
    for (const name of await files.list(nodePaths.journal)) {
      expect(await files.stat(`${nodePaths.journal}/${name}`)).toMatchObject({ mode: 0o600 })
    }
  })

  it('leaves no files at its end', async () => {
    const { files } = await machine()
    const journal = new Journal(files)
    await journal.begin(intent)
    await journal.mark({ acting: 0 })
    await journal.end()
    expect(await journal.read()).toBeUndefined()
    expect(await files.stat(nodePaths.journal)).toBeUndefined()
  })

  it('exists only while its intent exists', async () => {
    const host = await machine()
    const only = (operation: string): boolean => operation.includes('intent.json')
    const written = faultyHost(host, new Faults({ at: 2, fail: 'ENOSPC', only }))
    await expect(new Journal(written.files).begin(intent)).rejects.toMatchObject({ code: 'ENOSPC' })
    const journal = new Journal(host.files)
    expect(await journal.read()).toBeUndefined()
    expect(await host.files.list(nodePaths.journal)).toEqual(['copy-0'])
    await journal.sweep()
    expect(await host.files.stat(nodePaths.journal)).toBeUndefined()
  })

  it('never removes the journal of an update in progress', async () => {
    const { files } = await machine()
    const journal = new Journal(files)
    await journal.begin(intent)
    await journal.sweep()
    expect(await files.list(nodePaths.journal)).toEqual(['copy-0', 'intent.json.gz'])
  })

  it('rejects a file that changed while the update was prepared', async () => {
    const { files } = await machine('something else')
    await expect(new Journal(files).begin(intent)).rejects.toThrow(
      '/etc/a changed while the update was prepared',
    )
  })

  it.each([
    ['{"secret":"hunter2"', 'is damaged'],
    ['{"format":2,"secret":"hunter2"}', 'has the unknown format 2'],
    ['{"secret":"hunter2"}', 'has the unknown format'],
  ])('rejects %s, without secrets in the error', async (text, reason) => {
    const { files } = await machine()
    const journal = new Journal(files)
    await journal.begin(intent)
    const content = gzip(Buffer.from(text))
    await files.write(`${nodePaths.journal}/intent.json.gz`, {
      content,
      mode: 0o600,
      uid: 0,
      gid: 0,
    })
    const failure = await journal.read().catch((error: Error) => error.message)
    expect(failure).toContain(reason)
    expect(failure).not.toContain('hunter2')
  })
})
